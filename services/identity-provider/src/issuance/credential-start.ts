/**
 * Whether a credential has started, by a clock that may be late.
 *
 * The start is usually the time of the server that made the credential. The tolerance applies to the
 * start only: a credential never works after its end.
 */
export const hasStarted = (
  { startDateTime }: { readonly startDateTime: Date },
  now: Date,
  clockToleranceSeconds: number,
): boolean => now.getTime() + clockToleranceSeconds * 1000 >= startDateTime.getTime()
