// Folder: The command `greeting`.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import type { CommandContext } from './command-context.ts'
import { loadersFor } from './command-loaders.ts'
import { exitCodes } from './exit-codes.ts'
import { packageFolder, type Services, withCommand } from './system/services.ts'
import { printFailure, type Screen, type Terminal, visibleTerminal } from './terminal.ts'

// The first lines of the README: who it is for, what it is, and what it is not.
const about = `Check Entra ID app roles in your API, and test it without a tenant.
For programs that call APIs; users do not sign in here.
The guard and the client are for production. The identity provider is for development, tests and closed networks, and does not replace Entra ID.`

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
    .description(about)
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showHelpAfterError('(see --help)')
    .addHelpText('after', `\n${exitCodeHelp}`)
    .option('-V, --version', 'print the name and the version')
    .on('option:version', () => {
      // Read on request: a scheduled job pays for each file.
      const manifest = readFileSync(join(packageFolder(), 'package.json'), 'utf8')
      terminal.out(`greeting ${JSON.parse(manifest).version}\n`)
      throw new CommanderError(0, 'commander.version', '')
    })
    .exitOverride()
  const context: CommandContext = { program, terminal, services }
  const [name = ''] = args
  const loaders = await loadersFor(name)
  for (const load of loaders) await load(context)
  // The built-in command knows one name only.
  program.helpCommand(false)
  if (loaders.length > 1)
    program
      .command('help')
      .argument('[command...]')
      .description('display help for command')
      .action((words: readonly string[]) => named(program, words).outputHelp())
  for (const command of program.commands.flatMap(withSubcommands))
    command.addHelpText('after', `\n${exitCodeHelp}`)
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
    const reworded = (text: string) => withCommand(text, services.command)
    const name = printFailure(terminal, error, args.includes('--json'), reworded)
    return exitCodes[name].code
  }
}

/** The command with these names below another one. An unknown name ends the parser with an error. */
function named(command: Command, [word, ...rest]: readonly string[]): Command {
  if (word === undefined) return command
  const next = command.commands.find((one) => one.name() === word)
  return next ? named(next, rest) : command.error(`error: unknown command '${word}'`)
}

/** A command and its subcommands, at every depth. */
function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}
