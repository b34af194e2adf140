import { Command } from 'commander'
import { addAuditCommand } from './commands/audit.ts'
import { addCallCommand } from './commands/call.ts'
import { clientCommand } from './commands/client-command.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addHelloCommand } from './commands/hello.ts'
import { addHiCommand } from './commands/hi.ts'
import { addKeysCommands } from './commands/keys.ts'
import { addRegistrationsCommands } from './commands/registrations/registrations.ts'
import { type AddJobs, addRunCommand } from './commands/run.ts'
import { runOnce } from './commands/run-once.ts'
import { addStartCommand } from './commands/start.ts'
import { addTokenCommand } from './commands/token.ts'
import { addTrustCommand } from './commands/trust.ts'
import { exitCodes } from './exit-codes.ts'
import type { Services } from './system/services.ts'
import { printFailure, type Screen, type Terminal } from './terminal.ts'
import { visibleTerminal } from './visible-terminal.ts'

const exitCodeHelp = [
  'Exit codes:',
  ...Object.values(exitCodes).map(({ code, meaning }) => `  ${code}  ${meaning}`),
].join('\n')

/** The jobs that can be done once, and again and again. */
const addJobs: AddJobs = (program, take) => [
  addHiCommand(program, take),
  addHelloCommand(program, take),
  addCallCommand(program, take),
]

/** The whole command, written out: each subcommand has a file of its own. */
export function greetingProgram(terminal: Terminal, services: Services): Command {
  const program = new Command('greeting')
    .description('Start the Greeting system, obtain tokens, call the API.')
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showHelpAfterError('(see --help)')
    .addHelpText('after', `\n${exitCodeHelp}`)
    .exitOverride()
  addStartCommand(program, terminal, services)
  addTokenCommand(program, terminal)
  addJobs(program, runOnce(terminal)).forEach(clientCommand)
  addRunCommand(program, terminal, addJobs)
  addDoctorCommand(program, terminal)
  addCompletionCommand(program, terminal)
  addRegistrationsCommands(program, terminal)
  addKeysCommands(program, terminal)
  addAuditCommand(program, terminal)
  addTrustCommand(program, terminal)
  for (const command of program.commands.flatMap((one) => [one, ...one.commands])) {
    command.addHelpText('after', `\n${exitCodeHelp}`)
  }
  return program
}

/** Runs the command with the arguments of the person, and resolves with its exit code. */
export async function runGreeting(
  args: readonly string[],
  screen: Screen,
  services: Services,
): Promise<number> {
  const terminal = visibleTerminal(screen)
  try {
    await greetingProgram(terminal, services).parseAsync(args, { from: 'user' })
    return exitCodes.done.code
  } catch (error) {
    return exitCodes[printFailure(terminal, error, args.includes('--json'))].code
  }
}
