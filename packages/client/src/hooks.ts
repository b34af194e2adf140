import type { ClientErrorCode } from './errors.ts'

/** An event for a log or a metric. No event contains a token or a secret. */
export type ClientEvent =
  | {
      readonly type: 'token_obtained'
      readonly from: 'server' | 'cache'
      readonly lifetimeSeconds: number
    }
  | {
      readonly type: 'token_request_failed'
      readonly code: ClientErrorCode
      readonly message: string
      readonly attempt: number
      /** True for a renewal in the background, while the old token was still usable. */
      readonly background: boolean
    }
  | { readonly type: 'token_dropped' }
  | { readonly type: 'credential_switched' }
  | { readonly type: 'clock_skewed'; readonly skewSeconds: number }
  | { readonly type: 'cache_failed'; readonly operation: 'get' | 'set'; readonly message: string }
  | {
      readonly type: 'call_answered'
      readonly method: string
      readonly path: string
      readonly status: number
      readonly attempt: number
      readonly durationMs: number
    }
  | {
      readonly type: 'call_failed'
      readonly method: string
      readonly path: string
      readonly message: string
      readonly attempt: number
      readonly durationMs: number
    }

/** Receives events. Its exceptions are ignored. */
export type OnEvent = (event: ClientEvent) => void

/** Wraps a listener so that its exceptions are ignored. */
export function safeListener(onEvent: OnEvent | undefined): OnEvent {
  return (event) => {
    try {
      onEvent?.(event)
    } catch {
      // A job must not fail because its log fails.
    }
  }
}

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
