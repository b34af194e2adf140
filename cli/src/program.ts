// Folder: The command `greeting`.

import { Command } from 'commander'
import { type CommandContext, commandLoaders, isCommandName } from './command-loaders.ts'
import { exitCodes } from './exit-codes.ts'
import type { Services } from './system/services.ts'
import { printFailure, type Screen, type Terminal, visibleTerminal } from './terminal.ts'

const exitCodeHelp = [
  'Exit codes:',
  ...Object.values(exitCodes).map(({ code, meaning }) => `  ${code}  ${meaning}`),
].join('\n')

/**
 * The command with its subcommands. A subcommand that the first argument names is loaded alone, because
 * a scheduled job pays for each module in CPU time.
 */
export async function greetingProgram(
  terminal: Terminal,
  services: Services,
  args: readonly string[] = [],
): Promise<Command> {
  const program = new Command('greeting')
    .description('Start the Greeting system, obtain tokens, call the API.')
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showHelpAfterError('(see --help)')
    .addHelpText('after', `\n${exitCodeHelp}`)
    .exitOverride()
  const context: CommandContext = { program, terminal, services }
  const [name = ''] = args
  // The completion script contains all subcommands.
  const isAlone = isCommandName(name) && name !== 'completion'
  const loaders = isAlone ? [commandLoaders[name]] : Object.values(commandLoaders)
  for (const load of loaders) await load(context)
  for (const command of program.commands.flatMap(withSubcommands)) {
    command.addHelpText('after', `\n${exitCodeHelp}`)
  }
  return program
}

/** Runs the command with its arguments, and resolves with its exit code. */
export async function runGreeting(
  args: readonly string[],
  screen: Screen,
  services: Services,
): Promise<number> {
  const terminal = visibleTerminal(screen)
  try {
    const program = await greetingProgram(terminal, services, args)
    await program.parseAsync(args, { from: 'user' })
    return exitCodes.done.code
  } catch (error) {
    return exitCodes[printFailure(terminal, error, args.includes('--json'))].code
  }
}

/** A command and its subcommands, at every depth. */
function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}
