// Folder: The commands of a client: tokens, calls and jobs.

import { isClientFailure } from '@greeting/client'
import { type Command, InvalidArgumentError } from 'commander'
import {
  type CalledServers,
  type ClientSettings,
  defaultSettingsFile,
  readClientSettings,
} from '../../client/client-settings.ts'
import { connect, type TakeJob, withCurrentRoles } from '../../client/connection.ts'
import { startJobTracing } from '../../client/job-tracing.ts'
import { quickRuntime } from '../../client/quick-runtime.ts'
import type { Services } from '../../system/services.ts'
import type { Terminal } from '../../terminal.ts'
import { readableWarning } from '../../text/visible-text.ts'

export type ClientCommandOptions = {
  /** The settings file that the person named. */
  readonly settings?: string
  /** The agent identity that calls, in place of the client. */
  readonly agent?: string
  /** In milliseconds. The option is in seconds. */
  readonly deadline: number
  readonly json?: true
}

const maxDeadlineSeconds = 600

function deadlineMs(text: string): number {
  const seconds = Number(text)
  if (text.trim() === '' || !(seconds > 0 && seconds <= maxDeadlineSeconds))
    throw new InvalidArgumentError(
      'The deadline must be a number of seconds, greater than 0 and at most 600',
    )
  return Math.ceil(seconds * 1000)
}

/** Adds the options of every client command. */
export function clientCommand(command: Command): Command {
  return command
    .option(
      '--settings <path>',
      `settings file, whose settings win over the environment (default: ${defaultSettingsFile}, if it exists, for settings that the environment does not set)`,
    )
    .option('--agent <id>', 'call as this agent identity, whose blueprint is CLIENT_ID')
    .addOption(
      command
        .createOption('--deadline <seconds>', 'maximum time, in seconds, for all attempts')
        .argParser(deadlineMs)
        .default(10_000, '10'),
    )
    .option('--json', 'print JSON, also for failures')
}

/** The settings of the options and the environment. A person sees their warning. */
export async function settingsOf(
  { environment, err }: Terminal,
  options: ClientCommandOptions,
  servers?: CalledServers,
): Promise<ClientSettings> {
  const settings = await readClientSettings(environment, options, servers)
  const { isSecretOpen, file } = settings
  if (isSecretOpen && file && !options.json) err(readableWarning(file))
  return settings
}

/** Runs a job once, and prints its result. */
export const runOnce =
  (terminal: Terminal, services: Services): TakeJob<object> =>
  async (job, options) => {
    const { deadline, json, force } = options as ClientCommandOptions & { readonly force?: true }
    const settings = await settingsOf(terminal, options as ClientCommandOptions)
    const tracing = await startJobTracing(terminal.environment)
    const connection = connect(settings, {
      deadlineMs: deadline,
      runtime: quickRuntime(terminal.environment),
      ...tracing.clientOptions,
    })
    const outcome = await tracing
      .run(job.title, () =>
        withCurrentRoles(connection, async () => {
          if (force) await connection.tokens.token({ force, signal: terminal.stop })
          return job.perform(connection, terminal.stop)
        }),
      )
      .catch(async (error) => {
        if (!isClientFailure(error) || error.code !== 'role_missing') throw error
        // A job that runs each minute pays for each module.
        const { withMissingStep } = await import('../registrations/explain.ts')
        throw await withMissingStep(error, settings, services.command, terminal.stop)
      })
      .finally(tracing.stop)
    if (json) terminal.out(`${JSON.stringify(outcome.json)}\n`)
    else terminal.body(outcome.text)
  }
