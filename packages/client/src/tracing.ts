/** The attributes of a span, by name. */
export type SpanAttributes = Readonly<Record<string, string | number>>

/** A request before it is sent. */
export type SpanStart = {
  /** The method, which is the span name by the conventions of OpenTelemetry. */
  readonly name: string
  readonly attributes: SpanAttributes
  /** The hook may add headers, so that the server can continue the trace. */
  readonly headers: Headers
}

/**
 * Runs one request within a span. `work` receives a function that adds attributes. It rejects if the
 * request fails.
 *
 * @see OpenTelemetry, semantic conventions for HTTP client spans
 */
export type Trace = <Value>(
  span: SpanStart,
  work: (setAttributes: (attributes: SpanAttributes) => void) => Promise<Value>,
) => Promise<Value>

/** Runs the request without a span. */
export const noTrace: Trace = (_span, work) => work(() => undefined)

/** The attributes of a request that are known before it is sent. */
export function requestAttributes(method: string, url: URL, attempt: number): SpanAttributes {
  return {
    'http.request.method': method,
    'server.address': url.hostname,
    ...(url.port && { 'server.port': Number(url.port) }),
    'url.path': url.pathname,
    ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
  }
}
