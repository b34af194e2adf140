import type { Assertion } from './assertion.ts'
import { refuse } from './refusal.ts'

/** What a server asks of the time of an assertion. */
export type AssertionTimes = {
  /** How far the clocks of client and server may differ, in seconds. */
  readonly clockToleranceSeconds: number
  /** How far ahead an assertion may expire, in seconds. */
  readonly maxLifetimeSeconds: number
}

/**
 * Judges when an assertion is good.
 *
 * @throws {RefusedError} assertion_time_invalid, assertion_lifetime_too_long
 * @see RFC 7523 §3, items 4 to 6
 */
export function judgeTime(
  { notBefore, issuedAt, expiresAt }: Assertion,
  { clockToleranceSeconds, maxLifetimeSeconds }: AssertionTimes,
  now: Date,
): void {
  const toleranceMs = clockToleranceSeconds * 1000
  const validFrom = notBefore ?? issuedAt
  const hasBegun = validFrom === null || validFrom.getTime() - toleranceMs <= now.getTime()
  if (!hasBegun || expiresAt.getTime() + toleranceMs <= now.getTime())
    refuse({ reason: 'assertion_time_invalid', now, validFrom, expiresAt })
  const longestMs = maxLifetimeSeconds * 1000 + toleranceMs
  if (expiresAt.getTime() - now.getTime() > longestMs)
    refuse({ reason: 'assertion_lifetime_too_long' })
}
