import { observeRequests, TrustedProxies } from '@greeting/http-service'
import { withoutSessionKey } from '@greeting/portal/addresses'
import type { Tracing } from '@greeting/tracing'
import { issuerV2 } from '../dialect/authority.ts'
import type { TokenLifetime } from '../dialect/token/token-times.ts'
import { FailedLoginRateLimit } from '../endpoints/failed-login-rate-limit.ts'
import type { ServiceOptions, TokenKeys } from '../endpoints/service-options.ts'
import type { ObserveToken } from '../endpoints/token-observation.ts'
import type { ServiceParts } from './service-parts.ts'
import type { Settings } from './settings.ts'

/** The last time that a `Date` can have. */
const endOfTime = new Date(8.64e15)

/** The options of the token service, which are the same for every listener. */
export function tokenOptions(parts: ServiceParts): Omit<ServiceOptions, 'authority'> {
  const { settings, tracing, metrics, storage, keys, clock, auditBuffer } = parts
  const { runtime } = parts.environment
  return {
    origins: parts.listeners.all.map(({ authority }) => authority.authUrl),
    ownIssuers: ({ id }) => parts.listeners.all.map(({ authority }) => issuerV2(authority, id)),
    directory: parts.issued,
    standbyState: () => parts.standbyReads?.state,
    keys: {
      sign: observedSign(keys, metrics?.observeSignature, tracing),
      published: () => keys.published(),
      refreshIfOld: () => keys.refreshIfOld(),
    },
    lifetime: tokenLifetime(settings),
    assertionTimes: {
      clockToleranceSeconds: settings.CLOCK_TOLERANCE_SECONDS,
      maxLifetimeSeconds: settings.ASSERTION_LIFETIME_SECONDS,
    },
    assertions:
      settings.ASSERTION_USE === 'once'
        ? (parts.regionalAssertions ?? storage.assertions)
        : undefined,
    // A clock that is behind makes forgotten assertions valid again.
    storeWentBackAt: () => (clock.isBehind ? endOfTime : parts.reversals.latestAt),
    acceptsLabSecrets: parts.environment.lab !== undefined,
    acceptsMcpClients: settings.MCP_CLIENTS === 'on',
    verifyFederated: parts.issuers.verify,
    throttle: failedLoginRateLimit(settings),
    trustedProxies: new TrustedProxies(settings.TRUSTED_PROXIES),
    clientCertProxies: new TrustedProxies(settings.CLIENT_CERT_PROXIES),
    audit: auditBuffer.record,
    noteUse: auditBuffer.noteUse,
    isReady: parts.isReady,
    isClockAgreed: () => clock.isReady(),
    observeToken: observeTokens(metrics?.observeToken, tracing),
    observeRequest: observeRequests(tracing, metrics?.observeRequest, withoutSessionKey),
    log: parts.log,
    source: runtime,
    randomBytes: randomPool(runtime.randomBytes),
  }
}

export const tokenLifetime = (settings: Settings): TokenLifetime => ({
  backdatingSeconds: settings.TOKEN_BACKDATING_SECONDS,
  shortestSeconds: settings.TOKEN_LIFETIME_SECONDS.shortest,
  longestSeconds: settings.TOKEN_LIFETIME_SECONDS.longest,
})

const failedLoginRateLimit = (settings: Settings): FailedLoginRateLimit =>
  new FailedLoginRateLimit({
    perClientPerMinute: settings.WRONG_CREDENTIALS_PER_CLIENT_PER_MINUTE,
    perSourcePerMinute: settings.WRONG_CREDENTIALS_PER_SOURCE_PER_MINUTE,
  })

/**
 * Counts the results of token requests, and adds them to the spans of the requests.
 *
 * @returns undefined when nothing observes them
 */
function observeTokens(
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
function observedSign(
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

/**
 * Reads random bytes in blocks, because each read from the system's generator costs as much as a
 * hash. Not for secrets: unused bytes stay in memory.
 *
 * @param poolBytes size of a block; default 8192
 */
export function randomPool(
  randomBytes: (length: number) => Uint8Array,
  poolBytes = 8192,
): (length: number) => Uint8Array {
  let pool = new Uint8Array(0)
  return (length) => {
    if (pool.byteLength < length) pool = Uint8Array.from(randomBytes(Math.max(poolBytes, length)))
    const bytes = pool.subarray(0, length)
    pool = pool.subarray(length)
    return bytes
  }
}
