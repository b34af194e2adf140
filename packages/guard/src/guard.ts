import { type RequestCredentials, readCredentials } from './bearer-credentials.ts'
import { VerifiedTokenCache } from './cache/verified-token-cache.ts'
import type { Caller } from './caller.ts'
import type { EventListener } from './guard-event.ts'
import { type GuardOptions, judgeGuardOptions } from './guard-options.ts'
import { prepareRefusals, type Refusal, type RefusalReason, withHeader } from './refusal.ts'
import { type Runtime, systemRuntime } from './runtime.ts'
import { judgeTime } from './token/claims.ts'
import { DeclaredRoles } from './token/declared-roles.ts'
import { TokenVerifier, type Unverified, type VerifiedToken } from './token-verifier.ts'

/** Required in place of a role: any caller with a valid token, whatever its roles. */
export const anyCaller: unique symbol = Symbol('any caller')

/** What a route requires: a role by its name or, said in so many words, any caller. */
export type Requirement<Role extends string = string> = Role | typeof anyCaller

/** The answer to the one question. */
export type Decision<Role extends string = string> = Caller<Role> | Refusal

/** A key set as it stands. */
export type KeySetStatus = {
  readonly url: string
  readonly isUsable: boolean
  readonly keys: number
  /** Since the last good set; infinite before the first. */
  readonly ageSeconds: number
}

/** Decides who is let in. */
export type Guard<Role extends string = string> = {
  /** The roles that a route may require. */
  readonly roles: readonly Role[]
  /** May this request do what the requirement protects? At once when that is known. */
  readonly decide: (
    presented: RequestCredentials,
    requirement: Requirement<Role>,
  ) => Decision<Role> | Promise<Decision<Role>>
  /** The answer for a reason that the guard's user finds, such as `not_found`. */
  readonly refuse: (reason: RefusalReason) => Refusal
  /** Fetches the keys and goes on refreshing; resolves after the first attempt, good or not. */
  readonly start: () => Promise<void>
  /** Ends the refreshes. */
  readonly stop: () => void
  /** True when the keys of every issuer are in hand. */
  readonly isReady: () => boolean
  readonly keySets: () => readonly KeySetStatus[]
  /** How many verified tokens are remembered. */
  readonly rememberedTokens: () => number
}

/**
 * Makes a guard from options that are judged once, here.
 *
 * @param options see `entra` for an API at Entra ID
 * @param runtime what stands in for clocks, timers, randomness and `fetch`
 * @throws {GuardOptionsError} with all faults together
 * @example
 * const guard = createGuard(entra({ tenantId, apiApplicationId, roles: ['CallHiApiRole'] }))
 * const decision = await guard.decide({ authorization, target: '/hi' }, 'CallHiApiRole')
 */
export function createGuard<const Role extends string>(
  options: GuardOptions<Role>,
  runtime: Partial<Runtime> = {},
): Guard<Role> {
  const judged = judgeGuardOptions(options)
  const world: Runtime = { ...systemRuntime, ...runtime }
  const roles = new DeclaredRoles(options.roles)
  const refusals = prepareRefusals(judged.realm, judged.resourceMetadataUrl)
  const remembered = new VerifiedTokenCache<VerifiedToken<Role>>(judged.rememberedTokens)
  const tell: EventListener = (event) => {
    if (event.type === 'key_gone') remembered.forgetUnpublished()
    try {
      judged.listener?.(event)
    } catch {
      // Whoever only watches can neither let in nor keep out.
    }
  }
  const verifier = new TokenVerifier(judged, roles, world, tell)

  function decide(presented: RequestCredentials, requirement: Requirement<Role>) {
    // 1. Exactly one bearer token.
    const credentials = readCredentials(presented)
    if ('reason' in credentials) return refuse(credentials.reason)
    // 2. Verified before, with a key that is still good.
    const known = remembered.find(credentials.authorization)
    if (known?.key.isPublished && known.keySource.isUsable) {
      return conclude(known, true, presented, requirement)
    }
    // 3. Verified now; when its key has to be waited for, once more after that and then no more.
    const verified = verifier.verify(credentials)
    if (!('reason' in verified)) return conclude(verified, false, presented, requirement)
    if (verified.reason !== 'key_wanted') return refuseUnverified(verified)
    return verified.refresh.then(() => {
      const again = verifier.verify(credentials)
      if ('reason' in again) return refuseUnverified(again)
      return conclude(again, false, presented, requirement)
    })
  }

  /** What is asked of a verified token at each use, remembered or not. */
  function conclude(
    verified: VerifiedToken<Role>,
    isRemembered: boolean,
    presented: RequestCredentials,
    requirement: Requirement<Role>,
  ): Decision<Role> {
    // 4. It holds now.
    const { caller, notBefore, boundTo } = verified
    const { clockToleranceSeconds } = judged
    const fault = judgeTime(notBefore, caller.expiresAt, world.wallClockMs(), clockToleranceSeconds)
    if (fault !== undefined) {
      if (isRemembered) remembered.forget(verified)
      return refuse(fault)
    }
    // 5. Whoever sends it is whom it was issued to, as far as it is bound.
    if (!isBindingProven(boundTo, presented)) {
      return refuse('binding_not_proven')
    }
    if (!isRemembered) remembered.remember(verified)
    // 6. It grants what is required.
    if (requirement !== anyCaller && !caller.roles.includes(requirement)) {
      return refuse('role_missing')
    }
    if (judged.listener !== undefined) tell({ type: 'admitted', caller, remembered: isRemembered })
    return caller
  }

  function isBindingProven(boundTo: string | undefined, presented: RequestCredentials): boolean {
    if (boundTo === undefined) return judged.certificateBinding !== 'required'
    return judged.certificateBinding !== 'refused' && boundTo === presented.certificateThumbprint
  }

  function refuse(reason: RefusalReason): Refusal {
    tell({ type: 'refused', reason })
    return refusals[reason]
  }

  function refuseUnverified(unverified: Unverified): Refusal {
    if (!('keySource' in unverified)) return refuse(unverified.reason)
    const { retryAfterSeconds } = unverified.keySource
    return withHeader(refuse('keys_unavailable'), 'retry-after', `${retryAfterSeconds}`)
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
    isReady: () => verifier.keySources.every(({ isUsable }) => isUsable),
    keySets: () =>
      verifier.keySources.map(({ settings: { url }, isUsable, keys, ageSeconds }) => ({
        url,
        isUsable,
        keys: keys.size,
        ageSeconds,
      })),
    rememberedTokens: () => remembered.size,
  })
}
