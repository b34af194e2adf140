import { errorAnswer, errorResponse } from '../error-answer.ts'
import { type Fetch, type Listen, type Listener, listen } from './listener.ts'

export type MetricsOptions = {
  readonly METRICS_HOST: string
  /** 0 selects a free port; null for no listener. */
  readonly METRICS_PORT: number | null
}

const notFound = errorAnswer(404, 'not_found', 'This listener has only GET /metrics')
const headers = {
  'content-type': 'text/plain; version=0.0.4; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

/**
 * Opens the listener for metrics, which is apart from the public one: metrics show how a service is
 * used, and a proxy for the public listener must not serve them.
 *
 * @returns undefined when the listener is off
 * @throws {Error} with Node's `code`, such as `EADDRINUSE`
 */
export const openMetricsListener = async (
  { METRICS_HOST, METRICS_PORT }: MetricsOptions,
  openListener: Listen = listen,
): Promise<Listener | undefined> =>
  METRICS_PORT === null ? undefined : openListener(METRICS_HOST, METRICS_PORT)

/**
 * Answers the requests of the listener for metrics.
 *
 * @param read returns the metrics in the text format of Prometheus
 */
export const metricsFetch =
  (read: () => Promise<string>): Fetch =>
  async ({ url, method }) => {
    if (new URL(url).pathname !== '/metrics' || method !== 'GET') return errorResponse(notFound)
    return new Response(await read(), { headers })
  }
