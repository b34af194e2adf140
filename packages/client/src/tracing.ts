export type SpanAttributes = Readonly<Record<string, string | number>>

/** One request that is about to be sent. */
export type SpanStart = {
  /** The method, as the conventions of OpenTelemetry name the span of an HTTP client. */
  readonly name: string
  readonly attributes: SpanAttributes
  /** Headers that the hook may add to, so that the server can continue the trace. */
  readonly headers: Headers
}

/**
 * Runs one request within a span. `work` is given a function that adds attributes, and rejects when
 * the request failed.
 *
 * @see OpenTelemetry, semantic conventions for HTTP client spans
 */
export type Trace = <Value>(
  span: SpanStart,
  work: (setAttributes: (attributes: SpanAttributes) => void) => Promise<Value>,
) => Promise<Value>

/** Traces nothing. */
export const untraced: Trace = (_span, work) => work(() => undefined)

/** What the conventions want to know of a request before it is sent. */
export function requestAttributes(method: string, url: URL, attempt: number): SpanAttributes {
  return {
    'http.request.method': method,
    'server.address': url.hostname,
    ...(url.port && { 'server.port': Number(url.port) }),
    'url.path': url.pathname,
    ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
  }
}
