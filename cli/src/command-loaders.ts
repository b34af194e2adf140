import type { GreetingClient } from '@greeting/client'
import type { Command } from 'commander'
import type { TakeJob } from './client/connection.ts'
import type { Services } from './system/services.ts'
import type { Terminal } from './terminal.ts'

export type CommandContext = {
  readonly program: Command
  readonly terminal: Terminal
  readonly services: Services
}

type Load = (context: CommandContext) => Promise<unknown>
type AddJob = (program: Command, take: TakeJob) => Command

async function addOnce(
  add: AddJob,
  { program, terminal, services }: CommandContext,
): Promise<void> {
  const { clientCommand, runOnce } = await import('./commands/client/client-command.ts')
  clientCommand(add(program, runOnce(terminal, services))).option(
    '--force',
    'obtain a new token, even if the cache has one',
  )
}

const addGreeting =
  (name: keyof GreetingClient): Load =>
  async (context) =>
    addOnce((await import('./commands/client/greetings.ts')).addGreetingCommand(name), context)

/** The subcommands in the order of the help. Each imports its modules when it is loaded. */
export const commandLoaders = {
  start: async ({ program, terminal, services }) =>
    (await import('./commands/start.ts')).addStartCommand(program, terminal, services),
  token: async ({ program, terminal }) =>
    (await import('./commands/client/token.ts')).addTokenCommand(program, terminal),
  hi: addGreeting('hi'),
  hello: addGreeting('hello'),
  call: async (context) =>
    addOnce((await import('./commands/client/call.ts')).addCallCommand, context),
  run: async ({ program, terminal }) => {
    const { greetings } = await import('@greeting/client')
    const { addGreetingCommand } = await import('./commands/client/greetings.ts')
    const { addCallCommand } = await import('./commands/client/call.ts')
    const { addRunCommand } = await import('./commands/client/run.ts')
    const names = Object.keys(greetings) as (keyof GreetingClient)[]
    const addJobs = [...names.map(addGreetingCommand), addCallCommand]
    addRunCommand(program, terminal, (jobs, take) => addJobs.map((add) => add(jobs, take)))
  },
  authorize: async ({ program, terminal, services }) =>
    (await import('./commands/authorize.ts')).addAuthorizeCommand(program, terminal, services),
  doctor: async ({ program, terminal, services }) =>
    (await import('./commands/doctor.ts')).addDoctorCommand(program, terminal, services),
  completion: async ({ program, terminal }) =>
    (await import('./commands/completion.ts')).addCompletionCommand(program, terminal),
  registrations: async ({ program, terminal }) =>
    (await import('./commands/registrations/registrations.ts')).addRegistrationsCommands(
      program,
      terminal,
    ),
  keys: async ({ program, terminal }) =>
    (await import('./commands/keys.ts')).addKeysCommands(program, terminal),
  lab: async ({ program, terminal }) =>
    (await import('./commands/lab.ts')).addLabCommands(program, terminal),
  audit: async ({ program, terminal }) =>
    (await import('./commands/audit.ts')).addAuditCommand(program, terminal),
  portal: async ({ program, terminal }) =>
    (await import('./commands/portal.ts')).addPortalCommand(program, terminal),
  backup: async ({ program, terminal, services }) =>
    (await import('./commands/backup.ts')).addBackupCommand(program, terminal, services),
  restore: async ({ program, terminal, services }) =>
    (await import('./commands/backup.ts')).addRestoreCommand(program, terminal, services),
  trust: async ({ program, terminal }) =>
    (await import('./commands/trust.ts')).addTrustCommand(program, terminal),
} as const satisfies Readonly<Record<string, Load> & Record<keyof GreetingClient, Load>>

export const isCommandName = (name: string): name is keyof typeof commandLoaders =>
  Object.hasOwn(commandLoaders, name)
