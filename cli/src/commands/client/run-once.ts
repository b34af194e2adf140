import { readClientSettings } from '../../client/client-settings.ts'
import { connect, withCurrentRoles } from '../../client/connection.ts'
import { startJobTracing } from '../../client/job-tracing.ts'
import { quickRuntime } from '../../client/quick-runtime.ts'
import type { TakeJob } from '../../job.ts'
import type { Terminal } from '../../terminal.ts'
import type { ClientCommandOptions } from './client-command.ts'

/** Runs a job once, and prints its result. */
export const runOnce =
  (terminal: Terminal): TakeJob<object> =>
  async (job, options) => {
    const { settings: file, deadline, json } = options as ClientCommandOptions
    const settings = await readClientSettings(terminal.environment, file)
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
      .finally(tracing.stop)
    if (json) terminal.out(`${JSON.stringify(outcome.json)}\n`)
    else terminal.body(outcome.text)
  }
