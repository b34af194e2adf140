// Folder: The commands of a client: tokens, calls and jobs.

import { isClientFailure } from '@greeting/client'
import { type Command, InvalidArgumentError } from 'commander'
import { defaultSettingsFile, readClientSettings } from '../../client/client-settings.ts'
import { connect, type TakeJob, withCurrentRoles } from '../../client/connection.ts'
import { startJobTracing } from '../../client/job-tracing.ts'
import { quickRuntime } from '../../client/quick-runtime.ts'
import type { Settings } from '../../files/env-file.ts'
import type { Services } from '../../system/services.ts'
import type { Terminal } from '../../terminal.ts'

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
  if (text.trim() === '' || !(seconds > 0 && seconds <= maxDeadlineSeconds)) {
    throw new InvalidArgumentError(
      'The deadline must be a number of seconds, greater than 0 and at most 600',
    )
  }
  return Math.ceil(seconds * 1000)
}

/** Adds the options of every client command. */
export function clientCommand(command: Command): Command {
  return command
    .option(
      '--settings <path>',
      `settings file for settings that the environment does not set (default: ${defaultSettingsFile}, if it exists)`,
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

/** The settings of the environment and of the options. */
export const environmentOf = (
  { environment }: Terminal,
  { agent }: ClientCommandOptions,
): Settings => (agent === undefined ? environment : { ...environment, AGENT_ID: agent })

/** Runs a job once, and prints its result. */
export const runOnce =
  (terminal: Terminal, services: Services): TakeJob<object> =>
  async (job, options) => {
    const { settings: file, deadline, json } = options as ClientCommandOptions
    const environment = environmentOf(terminal, options as ClientCommandOptions)
    const settings = await readClientSettings(environment, file)
    const tracing = await startJobTracing(terminal.environment)
    const connection = connect(settings, {
      deadlineMs: deadline,
      runtime: quickRuntime(terminal.environment),
      ...tracing.clientOptions,
    })
    const outcome = await tracing
      .run(job.title, () =>
        withCurrentRoles(connection, () => job.perform(connection, terminal.stop)),
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
