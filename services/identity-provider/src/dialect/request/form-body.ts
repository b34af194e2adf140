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
  const pairs = readPairs(body, maxParameters)
  if (typeof pairs === 'string') return refuseRequest({ reason: pairs })
  const form = new Map<string, string>()
  const names = new Set<string>()
  for (const [parameter, value] of pairs) {
    if (names.has(parameter)) return refuseRequest({ reason: 'parameter_repeated', parameter })
    names.add(parameter)
    if (value !== '') form.set(parameter, value)
  }
  return form
}

/**
 * Reads the pairs of `application/x-www-form-urlencoded` in linear time, and no more than `maxPairs`.
 * `URLSearchParams` takes quadratic time for pairs without `=`.
 */
export function readPairs(
  body: string,
  maxPairs: number,
): readonly (readonly [string, string])[] | 'too_many_parameters' | 'parameter_malformed' {
  const pairs: [string, string][] = []
  for (let start = 0, end = 0; start < body.length; start = end + 1) {
    end = body.indexOf('&', start)
    if (end < 0) end = body.length
    if (end === start) continue
    if (pairs.length === maxPairs) return 'too_many_parameters'
    const pair = body.slice(start, end)
    const equals = pair.indexOf('=')
    const name = percentDecode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : percentDecode(pair.slice(equals + 1))
    if (name === undefined || value === undefined) return 'parameter_malformed'
    pairs.push([name, value])
  }
  return pairs
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
