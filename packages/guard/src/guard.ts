// Folder: Users install the guard alone, for their own APIs.

import {
  type BearerCredentials,
  type RequestCredentials,
  readCredentials,
} from './bearer-credentials.ts'
import { VerifiedTokenCache } from './cache/verified-token-cache.ts'
import type { Caller } from './caller.ts'
import type { EventListener } from './guard-event.ts'
import type { GuardOptions } from './guard-options.ts'
import { validateGuardOptions } from './options-schema.ts'
import { prepareRefusals, type Refusal, type RefusalReason, withHeader } from './refusal.ts'
import { type Runtime, systemRuntime } from './runtime.ts'
import { checkValidityPeriod } from './token/claims.ts'
import { DeclaredRoles } from './token/declared-roles.ts'
import {
  TokenVerifier,
  type Verification,
  type VerificationFailure,
  type VerifiedToken,
} from './token-verifier.ts'

// Two copies of the package, such as an ES module and a CommonJS one, have the same symbol.
/** Requires any caller with a valid token, with or without roles. It stands in place of a role. */
export const anyCaller: unique symbol = Symbol.for('@greeting/guard any caller')

/** The role that a route requires, or `anyCaller`. */
export type RequiredRole<Role extends string = string> = Role | typeof anyCaller

/** The caller, or the refusal of the request. */
export type Decision<Role extends string = string> = Caller<Role> | Refusal

/** The current state of a key set. */
export type KeySetStatus = {
  /** The URL of the key set, or the issuer that has the option `keys`. */
  readonly url: string
  readonly isUsable: boolean
  readonly keys: number
  /** Seconds since the last good set, or infinity before the first one. */
  readonly ageSeconds: number
}

/** Decides whether a request may use an API. */
export type Guard<Role extends string = string> = {
  /** The roles that a route may require. */
  readonly roles: readonly Role[]
  /**
   * Decides about one request. Returns a promise if a key must be fetched first, and for a new token
   * on a runtime without `node:crypto`.
   */
  readonly decide: (
    credentials: RequestCredentials,
    requiredRole: RequiredRole<Role>,
  ) => Decision<Role> | Promise<Decision<Role>>
  /** Returns the refusal for a reason that the API finds itself, such as `not_found`. */
  readonly refuse: (reason: RefusalReason) => Refusal
  /** Fetches the keys and starts the refreshes. Resolves after the first attempt, good or not. */
  readonly start: () => Promise<void>
  /** Stops the refreshes. */
  readonly stop: () => void
  /** True if the keys of every issuer are available. */
  readonly isReady: () => boolean
  /** The current state of each key set, for a page of health or a metric. */
  readonly keySets: () => readonly KeySetStatus[]
  /** The number of verified tokens in the cache. */
  readonly cachedTokens: () => number
}

/**
 * Creates a guard. The options are validated here, once.
 *
 * @param options see `entra` for an API at Entra ID
 * @param overrides replace clocks, timers, randomness and `fetch`
 * @throws {GuardOptionsError} lists every invalid option
 * @throws {TypeError} on a Node before 22
 * @example
 * const guard = createGuard(entra({ tenantId, apiApplicationId, roles: ['CallHiApiRole'] }))
 * const decision = await guard.decide({ authorization, target: '/hi' }, 'CallHiApiRole')
 */
export function createGuard<const Role extends string>(
  options: GuardOptions<Role>,
  overrides: Partial<Runtime> = {},
): Guard<Role> {
  if (Promise.withResolvers === undefined) {
    throw new TypeError(`@greeting/guard needs Node 22 or newer, and this is ${process.version}`)
  }
  const settings = validateGuardOptions(options)
  const runtime: Runtime = { ...systemRuntime, ...overrides }
  const roles = new DeclaredRoles(options.roles)
  const refusals = prepareRefusals(settings.realm, settings.resourceMetadataUrl, settings.scope)
  const cache = new VerifiedTokenCache<VerifiedToken<Role>>(settings.maxCachedTokens)
  const emit: EventListener = (event) => {
    if (event.type === 'key_gone') cache.deleteUnpublished()
    try {
      settings.listener?.(event)
    } catch {
      // A listener must not change a decision.
    }
  }
  const verifier = new TokenVerifier(settings, roles, runtime, emit)

  function decide(credentials: RequestCredentials, requiredRole: RequiredRole<Role>) {
    // 1. Exactly one bearer token.
    const bearer = readCredentials(credentials)
    if ('reason' in bearer) return refuse(bearer.reason)
    // 2. Verified before, with a key that is still published and usable.
    const cached = cache.find(bearer.authorization)
    cached?.keySource.update()
    if (cached?.key.isPublished && cached.keySource.isUsable) {
      return authorize(cached, true, credentials, requiredRole)
    }
    // 3. Verified now. If its key is unknown, once more after a refresh of the keys.
    return decideNew(bearer, credentials, requiredRole, true)
  }

  function decideNew(
    bearer: BearerCredentials,
    credentials: RequestCredentials,
    requiredRole: RequiredRole<Role>,
    mayWait: boolean,
  ): Decision<Role> | Promise<Decision<Role>> {
    const conclude = (verified: Verification<Role>) => {
      if (!('reason' in verified)) return authorize(verified, false, credentials, requiredRole)
      if (verified.reason !== 'key_pending' || !mayWait) return refuseFailure(verified)
      return verified.refresh.then(() => decideNew(bearer, credentials, requiredRole, false))
    }
    const verification = verifier.verify(bearer)
    return verification instanceof Promise ? verification.then(conclude) : conclude(verification)
  }

  /** The checks of a verified token at each use, cached or not. */
  function authorize(
    verified: VerifiedToken<Role>,
    isCached: boolean,
    credentials: RequestCredentials,
    requiredRole: RequiredRole<Role>,
  ): Decision<Role> {
    // 4. The token is valid now.
    const { caller, notBefore, boundTo } = verified
    const { expiresAt } = caller
    const nowMs = runtime.wallClockMs()
    const fault = checkValidityPeriod(notBefore, expiresAt, nowMs, settings.clockToleranceSeconds)
    if (fault !== undefined) {
      if (isCached) cache.delete(verified)
      return refuse(fault)
    }
    // 5. The sender holds the certificate to which the token is bound.
    if (!isBindingProven(boundTo, credentials)) {
      return refuse('binding_not_proven')
    }
    if (!isCached) cache.add(verified)
    // 6. The token contains the required role.
    if (requiredRole !== anyCaller && !caller.roles.includes(requiredRole)) {
      return refuse('role_missing')
    }
    if (settings.listener !== undefined) emit({ type: 'admitted', caller, isCached })
    return caller
  }

  function isBindingProven(boundTo: string | undefined, credentials: RequestCredentials): boolean {
    if (boundTo === undefined) return settings.certificateBinding !== 'required'
    return (
      settings.certificateBinding !== 'refused' && boundTo === credentials.certificateThumbprint
    )
  }

  function refuse(reason: RefusalReason): Refusal {
    emit({ type: 'refused', reason })
    return refusals[reason]
  }

  /** Names the issuers to the operator, and never to the caller. */
  function refuseIssuer(issuer: unknown): Refusal {
    const reason = 'issuer_not_trusted'
    const expected = settings.issuers.map((one) => one.issuer)
    emit({ type: 'refused', reason, issuer: { expected, received: printable(issuer) } })
    return refusals[reason]
  }

  function refuseFailure(failure: VerificationFailure): Refusal {
    if ('issuer' in failure) return refuseIssuer(failure.issuer)
    if (!('keySource' in failure)) return refuse(failure.reason)
    const { retryAfterSeconds } = failure.keySource
    return withHeader(refuse('keys_unavailable'), 'retry-after', `${retryAfterSeconds}`)
  }

  const updatedKeySources = () => {
    for (const keySource of verifier.keySources) keySource.update()
    return verifier.keySources
  }

  return Object.freeze({
    roles: roles.names,
    decide,
    refuse,
    start: async () => {
      await Promise.all(verifier.keySources.map((keySource) => keySource.start()))
    },
    stop: () => {
      for (const keySource of verifier.keySources) keySource.stop()
    },
    isReady: () => updatedKeySources().every(({ isUsable }) => isUsable),
    keySets: () =>
      updatedKeySources().map(({ url, isUsable, keys, ageSeconds }) => ({
        url,
        isUsable,
        keys: keys.size,
        ageSeconds,
      })),
    cachedTokens: () => cache.size,
  })
}

/** A claim of a token that is not trusted, for a log. */
function printable(claim: unknown): string {
  if (typeof claim !== 'string') return `no text (${typeof claim})`
  const short = claim.length > 200 ? `${claim.slice(0, 197)}...` : claim
  return short.replace(/[^\x20-\x7e]/g, '?')
}
