import { type Command, InvalidArgumentError } from 'commander'
import type { Terminal } from '../terminal.ts'
import { completionScripts, isShell, type Shell } from '../text/completion-script.ts'

function shell(text: string): Shell {
  if (!isShell(text))
    throw new InvalidArgumentError(
      `The supported shells are ${Object.keys(completionScripts).join(', ')}`,
    )
  return text
}

/** `greeting completion`: prints a shell completion script. */
export function addCompletionCommand(program: Command, terminal: Terminal): Command {
  return program
    .command('completion')
    .description('print a completion script for a shell')
    .argument('<shell>', 'bash, zsh or fish', shell)
    .action((name: Shell) => terminal.out(completionScripts[name](program)))
}
