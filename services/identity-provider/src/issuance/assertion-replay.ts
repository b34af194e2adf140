import type { Assertion } from './assertion.ts'
import type { AssertionTimes } from './assertion-time.ts'

/**
 * Whether an assertion may have been used in a history that the store has lost.
 *
 * It may, unless it was made after the store went back, or could not have been good before that.
 *
 * @param wentBackAt When the store last went back; undefined when it never did.
 */
export function mayHaveBeenUsed(
  { issuedAt, notBefore }: Pick<Assertion, 'issuedAt' | 'notBefore'>,
  wentBackAt: Date | undefined,
  { clockToleranceSeconds, maxLifetimeSeconds }: AssertionTimes,
  now: Date,
): boolean {
  if (wentBackAt === undefined) return false
  const toleranceMs = clockToleranceSeconds * 1000
  const longestUseMs = maxLifetimeSeconds * 1000 + 2 * toleranceMs
  if (now.getTime() > wentBackAt.getTime() + longestUseMs) return false
  const madeAt = issuedAt ?? notBefore
  return madeAt === null || madeAt.getTime() - toleranceMs <= wentBackAt.getTime()
}
