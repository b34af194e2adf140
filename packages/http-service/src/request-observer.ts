import type { Tracing } from '@greeting/tracing'

/** The labels of one request. Each has a fixed set of values. */
export type RequestLabels = {
  /** A method of RFC 9110, or `_OTHER`. */
  readonly method: string
  /** The pattern of the route, such as `/:tenant/oauth2/v2.0/token`; never a path with an ID. */
  readonly route: string
  readonly status: number
}

/** Receives the duration of each request, in seconds. */
export type ObserveRequest = (labels: RequestLabels, seconds: number) => void

/**
 * Answers a request and observes the answer.
 *
 * @param routeOf returns the pattern of the route, after the answer
 */
export type RequestObserver = (
  request: Request,
  routeOf: () => string,
  answer: () => Promise<Response>,
) => Promise<Response>

const methods: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
])

/** The method as a label: a client must not be able to add values. */
const methodLabel = (method: string): string => (methods.has(method) ? method : '_OTHER')

/** Measures each request until its answer begins. */
export const measureRequests =
  (observe: ObserveRequest, monotonicNowMs = () => performance.now()): RequestObserver =>
  async (request, routeOf, answer) => {
    const startedMs = monotonicNowMs()
    const response = await answer()
    const labels = {
      method: methodLabel(request.method),
      route: routeOf(),
      status: response.status,
    }
    observe(labels, (monotonicNowMs() - startedMs) / 1000)
    return response
  }

/**
 * Makes a span for each request, which continues the trace of the caller, and measures it.
 *
 * @param shownPath removes what a trace must not have from a path
 * @returns undefined when there is neither tracing nor a metric: then a request costs nothing more
 */
export function observeRequests(
  tracing: Tracing | undefined,
  observe: ObserveRequest | undefined,
  shownPath: (pathname: string) => string = (pathname) => pathname,
): RequestObserver | undefined {
  const measured = observe && measureRequests(observe)
  if (tracing === undefined) return measured
  return (request, routeOf, answer) => {
    const method = methodLabel(request.method)
    // The path alone: a query may contain a token.
    const path = { 'url.path': shownPath(new URL(request.url).pathname) }
    const start = { name: method, kind: 'server', attributes: path } as const
    return tracing.run({ ...start, received: request.headers }, async (span) => {
      const response = await (measured?.(request, routeOf, answer) ?? answer())
      const [route, { status }] = [routeOf(), response]
      span.rename(`${method} ${route}`)
      const attributes = { 'http.request.method': method, 'http.route': route }
      span.annotate({ ...attributes, 'http.response.status_code': status })
      if (status >= 500) span.fail(String(status))
      return response
    })
  }
}
