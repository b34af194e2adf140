import { type FormPairs, readPairs } from '@greeting/http-service'
import { type Refused, type RequestRefusal, refuse } from '../../refusals/refusal.ts'

/** The parameters of a request body that are not empty, with names in lower case. Each was sent once. */
export type Form = ReadonlyMap<string, string>

export const maxParameters = 50

/**
 * Reads `application/x-www-form-urlencoded`, strictly.
 *
 * @returns the form, or a refusal: `too_many_parameters`, `parameter_malformed` or `parameter_repeated`
 * @see RFC 6749 section 3.2 and appendix B
 */
export const readForm = (body: string): Form | Refused<RequestRefusal> =>
  formOf(readPairs(body, maxParameters))

/**
 * Makes a form of the names and values in a body of either encoding. A file is not a parameter. Names
 * may have any case (entra E370).
 *
 * @returns the form, or a refusal as of `readForm`
 */
export function formOf(pairs: FormPairs<string | File>): Form | Refused<RequestRefusal> {
  if (typeof pairs === 'string') return refuse({ reason: pairs })
  const form = new Map<string, string>()
  const names = new Set<string>()
  for (const [parameter, value] of pairs) {
    if (typeof value !== 'string') return refuse({ reason: 'parameter_malformed' })
    const name = parameter.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    if (names.has(name)) return refuse({ reason: 'parameter_repeated', parameter })
    names.add(name)
    if (value !== '') form.set(name, value)
  }
  return form
}
