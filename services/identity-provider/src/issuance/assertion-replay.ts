import type { Assertion, AssertionTimes } from './assertion.ts'

/**
 * Whether an assertion may have been used in a history that the store has lost.
 *
 * It was not, if it was made after the store went back, or if every assertion of that time has expired.
 *
 * @param wentBackAt when the store last went back; undefined when it never did
 */
export function mayHaveBeenUsed(
  { issuedAt, notBefore }: Pick<Assertion, 'issuedAt' | 'notBefore'>,
  wentBackAt: Date | undefined,
  { clockToleranceSeconds, maxLifetimeSeconds }: AssertionTimes,
  now: Date,
): boolean {
  if (wentBackAt === undefined) return false
  const toleranceMs = clockToleranceSeconds * 1000
  const maxValidityMs = maxLifetimeSeconds * 1000 + 2 * toleranceMs
  if (now.getTime() > wentBackAt.getTime() + maxValidityMs) return false
  const madeAt = issuedAt ?? notBefore
  return madeAt === null || madeAt.getTime() - toleranceMs <= wentBackAt.getTime()
}
