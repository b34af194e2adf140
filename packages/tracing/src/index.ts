import type { Tracing, TracingOptions } from './tracing.ts'

export type { SpanAttributes, SpanKind, SpanStart, Tracing, TracingOptions } from './tracing.ts'
export {
  readTracingOptions,
  TracingOptionsError,
  type TracingSettings,
  tracingForms,
} from './tracing-options.ts'

/**
 * Starts tracing. The SDK is loaded only here, so that a process without a collector loads nothing.
 *
 * @returns undefined without options
 */
export async function startTracing(
  options: TracingOptions | undefined,
): Promise<Tracing | undefined> {
  if (options === undefined) return undefined
  const { openTelemetry } = await import('./open-telemetry.ts')
  return openTelemetry(options)
}
