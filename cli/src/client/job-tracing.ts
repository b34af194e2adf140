import type { Trace } from '@greeting/client'
import type { TracingOptionsError } from '@greeting/tracing'
import { CommandFailure } from '../exit-codes.ts'
import type { Settings } from '../files/env-file.ts'

type JobTracing = {
  /** The option `trace` of the client library; empty when tracing is off. */
  readonly clientOptions: { readonly trace?: Trace }
  /** Runs a job as the first span of a trace. */
  readonly run: <Value>(title: string, work: () => Promise<Value>) => Promise<Value>
  /** Sends the spans that wait. It never fails. */
  readonly stop: () => Promise<void>
}

const off: JobTracing = {
  clientOptions: {},
  run: (_title, work) => work(),
  stop: async () => {},
}

/**
 * Starts the traces that the environment configures. Without `OTEL_EXPORTER_OTLP_ENDPOINT` it loads
 * nothing, because jobs run each minute.
 *
 * @throws {CommandFailure} bad_usage when a setting of tracing is invalid
 */
export async function startJobTracing(environment: Settings): Promise<JobTracing> {
  if (!environment.OTEL_EXPORTER_OTLP_ENDPOINT) return off
  const { readTracingOptions, startTracing, TracingOptionsError } = await import(
    '@greeting/tracing'
  )
  try {
    const tracing = await startTracing(readTracingOptions(environment, 'greeting'))
    if (tracing === undefined) return off
    return {
      clientOptions: {
        trace: ({ headers: sent, ...start }, work) =>
          tracing.run({ ...start, kind: 'client', sent }, ({ annotate }) => work(annotate)),
      },
      // The rest of a title may contain a path.
      run: (title, work) =>
        tracing.run({ name: `greeting ${title.split(' ', 1)[0]}`, kind: 'internal' }, work),
      stop: tracing.stop,
    }
  } catch (cause) {
    if (!(cause instanceof TracingOptionsError)) throw cause
    const { message } = cause satisfies TracingOptionsError
    throw new CommandFailure('bad_usage', `Invalid settings: ${message}`, { cause })
  }
}
