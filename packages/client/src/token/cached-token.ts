import type { Runtime } from '../runtime.ts'

/** A token with its lifetime. The token itself is opaque. */
export type CachedToken = {
  readonly token: string
  readonly lifetimeMs: number
  readonly obtainedWallClockMs: number
  readonly obtainedMonotonicMs: number
  /** The age at which it is renewed in the background. */
  readonly renewalAgeMs: number
}

// The renewal is at a random moment in this part of the lifetime, so that clients whose tokens expire
// in the same second do not renew in the same second.
const earliestRenewal = 0.4
const latestRenewal = 0.9

/** Creates a cached token that was issued `ageMs` ago. */
export function createCachedToken(
  token: string,
  lifetimeSeconds: number,
  runtime: Runtime,
  ageMs = 0,
): CachedToken {
  const lifetimeMs = lifetimeSeconds * 1000
  const share = earliestRenewal + runtime.random() * (latestRenewal - earliestRenewal)
  return {
    token,
    lifetimeMs,
    obtainedWallClockMs: runtime.wallClockMs() - ageMs,
    obtainedMonotonicMs: runtime.monotonicMs() - ageMs,
    renewalAgeMs: share * lifetimeMs,
  }
}

/**
 * The larger age of two clocks. A wall clock may be set back, and a monotonic clock may stop while a
 * machine sleeps.
 */
function ageMs(cached: CachedToken, runtime: Runtime): number {
  return Math.max(
    runtime.wallClockMs() - cached.obtainedWallClockMs,
    runtime.monotonicMs() - cached.obtainedMonotonicMs,
  )
}

/** True if the token is still valid after `marginMs`. */
export function isUsable(cached: CachedToken, marginMs: number, runtime: Runtime): boolean {
  return ageMs(cached, runtime) < cached.lifetimeMs - marginMs
}

/** True if the token should be renewed in the background. */
export function isRenewalDue(cached: CachedToken, runtime: Runtime): boolean {
  return ageMs(cached, runtime) >= cached.renewalAgeMs
}
