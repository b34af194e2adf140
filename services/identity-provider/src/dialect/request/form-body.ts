import { refuseRequest } from '../refusals/request-refusal.ts'

/** The parameters of a request body, each of which was there once and was not empty. */
export type Form = ReadonlyMap<string, string>

/** Most parameters that a request may have. */
export const maxParameters = 50

/**
 * Reads `application/x-www-form-urlencoded`, strictly.
 *
 * @throws {RefusedError} parameter_malformed, parameter_repeated, too_many_parameters
 * @see RFC 6749 §3.2 and appendix B
 */
export function readForm(body: string): Form {
  const pairs = body.split('&', maxParameters + 1).filter((pair) => pair !== '')
  if (pairs.length > maxParameters) refuseRequest({ reason: 'too_many_parameters' })
  const form = new Map<string, string>()
  const seen = new Set<string>()
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    const parameter = decode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1))
    if (seen.has(parameter)) refuseRequest({ reason: 'parameter_repeated', parameter })
    seen.add(parameter)
    if (value !== '') form.set(parameter, value)
  }
  return form
}

/** Undoes the URL encoding of one name or value. */
export function decode(encoded: string): string {
  if (!/[%+]/.test(encoded)) return encoded
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch (cause) {
    return refuseRequest({ reason: 'parameter_malformed' }, { cause })
  }
}
