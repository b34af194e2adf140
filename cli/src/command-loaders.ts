import type { GreetingClient } from '@greeting/client'
import type { Command } from 'commander'
import type { TakeJob } from './client/connection.ts'
import type { CommandContext } from './command-context.ts'

type Load = (context: CommandContext) => Promise<unknown>
type AddJob = (program: Command, take: TakeJob) => Command

async function addOnce(add: AddJob, { program, terminal, services }: CommandContext) {
  const { clientCommand, runOnce } = await import('./commands/client/client-command.ts')
  clientCommand(add(program, runOnce(terminal, services))).option(
    '--force',
    'obtain a new token, even if the cache has one',
  )
}

const greetingNames = async () =>
  Object.keys((await import('@greeting/client')).greetings) as (keyof GreetingClient)[]

const addGreeting =
  (name: keyof GreetingClient): Load =>
  async (context) =>
    addOnce((await import('./commands/client/greetings.ts')).addGreetingCommand(name), context)

/** The subcommands in the order of the help, but for the greetings. Each imports its modules when it is loaded. */
const commandLoaders: Readonly<Record<string, Load>> = {
  start: async (context) => (await import('./commands/start.ts')).addStartCommand(context),
  token: async (context) => (await import('./commands/client/token.ts')).addTokenCommand(context),
  call: async (context) =>
    addOnce((await import('./commands/client/call.ts')).addCallCommand, context),
  run: async ({ program, terminal }) => {
    const { addGreetingCommand } = await import('./commands/client/greetings.ts')
    const { addCallCommand } = await import('./commands/client/call.ts')
    const { addRunCommand } = await import('./commands/client/run.ts')
    const addJobs = [...(await greetingNames()).map(addGreetingCommand), addCallCommand]
    addRunCommand(program, terminal, (jobs, take) => addJobs.map((add) => add(jobs, take)))
  },
  authorize: async (context) =>
    (await import('./commands/authorize.ts')).addAuthorizeCommand(context),
  doctor: async (context) => (await import('./commands/doctor.ts')).addDoctorCommand(context),
  completion: async (context) =>
    (await import('./commands/completion.ts')).addCompletionCommand(context),
  registrations: async (context) =>
    (await import('./commands/registrations/registrations.ts')).addRegistrationsCommands(context),
  keys: async (context) => (await import('./commands/keys.ts')).addKeysCommands(context),
  lab: async (context) => (await import('./commands/lab.ts')).addLabCommands(context),
  audit: async (context) => (await import('./commands/audit.ts')).addAuditCommand(context),
  portal: async (context) => (await import('./commands/portal.ts')).addPortalCommand(context),
  backup: async (context) => (await import('./commands/backup.ts')).addBackupCommand(context),
  restore: async (context) => (await import('./commands/backup.ts')).addRestoreCommand(context),
  trust: async (context) => (await import('./commands/trust.ts')).addTrustCommand(context),
}

/** The subcommand that the first argument names, or all of them. The client lists the greetings. */
export async function loadersFor(name: string): Promise<readonly Load[]> {
  const load = Object.hasOwn(commandLoaders, name) ? commandLoaders[name] : undefined
  // The completion script contains all subcommands.
  if (load !== undefined && name !== 'completion') return [load]
  const greetings = await greetingNames()
  const greeting = greetings.find((one) => one === name)
  if (greeting !== undefined) return [addGreeting(greeting)]
  return Object.entries(commandLoaders).flatMap(([one, load]) =>
    one === 'call' ? [...greetings.map(addGreeting), load] : [load],
  )
}
