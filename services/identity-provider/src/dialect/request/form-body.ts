import type { Refused } from '../../issuance/refusal.ts'
import { type RequestRefusal, refuseRequest } from '../refusals/refusal.ts'

/** The parameters of a request body that are not empty. Each was sent once. */
export type Form = ReadonlyMap<string, string>

/** The parameters that a request may have at most. */
export const maxParameters = 50

/**
 * Reads `application/x-www-form-urlencoded`, strictly.
 *
 * @returns the form, or a refusal: `too_many_parameters`, `parameter_malformed` or `parameter_repeated`
 * @see RFC 6749 section 3.2 and appendix B
 */
export function readForm(body: string): Form | Refused<RequestRefusal> {
  const pairs = body.split('&', maxParameters + 1).filter((pair) => pair !== '')
  if (pairs.length > maxParameters) return refuseRequest({ reason: 'too_many_parameters' })
  const form = new Map<string, string>()
  const names = new Set<string>()
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    const parameter = percentDecode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : percentDecode(pair.slice(equals + 1))
    if (parameter === undefined || value === undefined) {
      return refuseRequest({ reason: 'parameter_malformed' })
    }
    if (names.has(parameter)) return refuseRequest({ reason: 'parameter_repeated', parameter })
    names.add(parameter)
    if (value !== '') form.set(parameter, value)
  }
  return form
}

/** Decodes one percent-encoded name or value; undefined when it is malformed. */
export function percentDecode(encoded: string): string | undefined {
  if (!/[%+]/.test(encoded)) return encoded
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
