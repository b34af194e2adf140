// Folder: Services and command send their spans in the same way.

/** The values of a span. They contain no token, no key, no secret and no query of a URL. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** The role of a span: it handles a request, sends one, or does neither. */
export type SpanKind = 'server' | 'client' | 'internal'

/** A span before its work begins. */
export type SpanStart = {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes?: SpanAttributes
  /** The header fields of a received request, whose trace the span continues. */
  readonly received?: Headers
  /** The header fields of a request to send, which get `traceparent`. */
  readonly sent?: Headers
}

/** The operations on a span that its work may use. */
export type Span = {
  readonly annotate: (attributes: SpanAttributes) => void
  readonly rename: (name: string) => void
  /** Marks the span as failed. */
  readonly fail: (reason: string) => void
}

/** The options of a trace exporter. */
export type TracingOptions = {
  /** The base URL of a collector for OTLP over HTTP, such as `http://127.0.0.1:4318`. */
  readonly endpoint: string
  /** Header fields for the collector, such as its credentials. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  /** The part of the traces that begin here and are sent, 0 to 1. */
  readonly sampleRatio: number
}

/** Creates spans and sends them to a collector. Without a collector there is no such object. */
export type Tracing = {
  /**
   * Runs work within a span. An error of the work ends the span as failed, and is passed on.
   *
   * @see W3C Trace Context, section 3.2 (`traceparent`)
   */
  readonly run: <Value>(start: SpanStart, work: (span: Span) => Promise<Value>) => Promise<Value>
  /** Adds attributes to the current span, if there is one. */
  readonly annotate: (attributes: SpanAttributes) => void
  /** The IDs of the current span for a log message; empty outside a span. */
  readonly logFields: () => { readonly trace_id?: string; readonly span_id?: string }
  /** Wraps `fetch`: each request is a span, and continues the trace at the other server. */
  readonly traceFetch: (fetch: typeof globalThis.fetch) => typeof globalThis.fetch
  /** Sends the spans that wait, for at most 2 s. It never fails: no service depends on a collector. */
  readonly stop: () => Promise<void>
}
