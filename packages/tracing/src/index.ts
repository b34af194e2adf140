export { startTracing } from './start-tracing.ts'
export type { SpanAttributes, SpanKind, SpanStart, Tracing, TracingOptions } from './tracing.ts'
export {
  readTracingOptions,
  TracingOptionsError,
  type TracingSettings,
  tracingForms,
} from './tracing-options.ts'
