type ValidityPeriod = { readonly startDateTime: Date; readonly endDateTime: Date }

/**
 * Returns whether a credential is valid now.
 *
 * The start is usually the time of the server that made the credential, and its clock may be ahead.
 * So the tolerance applies to the start only: a credential never works after its end.
 *
 * @param clockToleranceSeconds how far the clock that set the start may be ahead
 */
export function credentialValidity(
  { startDateTime, endDateTime }: ValidityPeriod,
  now: Date,
  clockToleranceSeconds: number,
): 'not_started' | 'valid' | 'expired' {
  if (now.getTime() + clockToleranceSeconds * 1000 < startDateTime.getTime()) return 'not_started'
  return now >= endDateTime ? 'expired' : 'valid'
}
