import { readPairs } from '@greeting/http-service'
import type { Refused } from '../../issuance/refusal.ts'
import { type RequestRefusal, refuseRequest } from '../refusals/refusal.ts'

/** The parameters of a request body that are not empty. Each was sent once. */
export type Form = ReadonlyMap<string, string>

/** The parameters that a request may have at most. */
const maxParameters = 50

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
