import type { Runtime } from '../runtime.ts'

/** A token in hand, with what is known of its life without looking into it. */
export type CachedToken = {
  readonly token: string
  readonly lifetimeMs: number
  readonly obtainedWallClockMs: number
  readonly obtainedMonotonicMs: number
  /** The age from which it is renewed in the background. */
  readonly renewalAgeMs: number
}

// The renewal falls at random into this part of the life, so that clients whose tokens end in the
// same second do not renew in the same second.
const earliestRenewal = 0.4
const latestRenewal = 0.9

/** Takes a token into the hand whose life began `ageMs` ago. */
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
 * The older of two answers: a wall clock may be set back, and a monotonic one may stand still while
 * a machine sleeps.
 */
function ageMs(held: CachedToken, runtime: Runtime): number {
  return Math.max(
    runtime.wallClockMs() - held.obtainedWallClockMs,
    runtime.monotonicMs() - held.obtainedMonotonicMs,
  )
}

/** Whether the token will still be good when `marginMs` have passed. */
export function isGood(held: CachedToken, marginMs: number, runtime: Runtime): boolean {
  return ageMs(held, runtime) < held.lifetimeMs - marginMs
}

/** Whether it is time to renew the token in the background. */
export function isDue(held: CachedToken, runtime: Runtime): boolean {
  return ageMs(held, runtime) >= held.renewalAgeMs
}
