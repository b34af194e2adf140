import type { ObserveToken } from '../http/token-observation.ts'
import type { MetricSet } from './metric-set.ts'

/**
 * Adds the counts of token requests. Every label has a fixed set of values: the reasons of the table of
 * refusals, four kinds of credentials, and the clients of the settings.
 */
export function tokenMetrics(metrics: MetricSet, clientIds: readonly string[]): ObserveToken {
  const requests = metrics.counter(
    'greeting_token_requests_total',
    'Token requests by outcome, reason of the refusal and kind of the credential.',
    ['outcome', 'reason', 'credential'],
  )
  const byClient = metrics.counter(
    'greeting_client_token_requests_total',
    'Token requests of the clients that METRICS_CLIENT_IDS names.',
    ['client_id', 'outcome'],
  )
  const throttled = metrics.counter(
    'greeting_token_requests_throttled_total',
    'Token requests that got 429 instead of their reason, beyond the limits of wrong credentials.',
    [],
  )
  const counted: ReadonlySet<string> = new Set(clientIds)
  return ({ outcome, reason, credential, isThrottled, clientId = '' }) => {
    requests.inc({ outcome, reason, credential })
    if (isThrottled) throttled.inc()
    const id = clientId.toLowerCase()
    if (counted.has(id)) byClient.inc({ client_id: id, outcome })
  }
}
