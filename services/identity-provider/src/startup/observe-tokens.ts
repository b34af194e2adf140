import type { Tracing } from '@greeting/tracing'
import type { TokenKeys } from '../http/service-options.ts'
import type { ObserveToken } from '../http/token-observation.ts'

/**
 * Counts the results of token requests, and adds them to the spans of the requests.
 *
 * @returns undefined when nothing observes them
 */
export function observeTokens(
  count: ObserveToken | undefined,
  tracing: Tracing | undefined,
): ObserveToken | undefined {
  if (tracing === undefined) return count
  return (observation) => {
    count?.(observation)
    const { outcome, reason, credential, correlationId } = observation
    tracing.annotate({
      'greeting.outcome': outcome,
      ...(reason !== '' && { 'greeting.reason': reason }),
      'greeting.credential': credential,
      'greeting.correlation_id': correlationId,
    })
  }
}

/** Signs, and observes the duration of each signature when something observes it. */
export function observedSign(
  keys: Pick<TokenKeys, 'sign'>,
  observeSeconds: ((seconds: number) => void) | undefined,
  tracing: Tracing | undefined,
): TokenKeys['sign'] {
  const measured: TokenKeys['sign'] =
    observeSeconds === undefined
      ? (claims, keyMembers) => keys.sign(claims, keyMembers)
      : async (claims, keyMembers) => {
          const startedMs = performance.now()
          const token = await keys.sign(claims, keyMembers)
          observeSeconds((performance.now() - startedMs) / 1000)
          return token
        }
  if (tracing === undefined) return measured
  return (claims, keyMembers) =>
    tracing.run({ name: 'sign token', kind: 'internal' }, () => measured(claims, keyMembers))
}
