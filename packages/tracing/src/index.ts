import type { LogExportOptions, LogSender } from './log-export.ts'
import type { Tracing, TracingOptions } from './tracing.ts'

export type { LogEvent, LogExportOptions, LogSender } from './log-export.ts'
export type { SpanAttributes, SpanKind, SpanStart, Tracing, TracingOptions } from './tracing.ts'
export {
  readLogExportOptions,
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

/** Opens a connection for log records. The SDK is loaded only here. */
export async function openLogSender(options: LogExportOptions): Promise<LogSender> {
  const { openTelemetryLogs } = await import('./open-telemetry-logs.ts')
  return openTelemetryLogs(options)
}
