import type { Refused } from '../../issuance/refusal.ts'
import { type RequestRefusal, refuseRequest } from '../refusals/refusal.ts'
import type { Form } from './form-body.ts'

type Row = {
  readonly parameter: string
  readonly isUnderstood: (value: string) => boolean
  readonly refusal: RequestRefusal
}

/** The parameters that ask for another token than this server issues. Unknown parameters are ignored. */
const rows: readonly Row[] = [
  {
    parameter: 'claims',
    // The claims themselves are voluntary: OpenID Connect Core section 5.5.1.
    isUnderstood: isJsonObject,
    refusal: { reason: 'claims_parameter_malformed' },
  },
  {
    parameter: 'token_type',
    isUnderstood: (value) => value.toLowerCase() === 'bearer',
    refusal: { reason: 'token_type_unsupported' },
  },
  ...['req_cnf', 'fmi_path'].map(
    (parameter): Row => ({
      parameter,
      isUnderstood: () => false,
      refusal: { reason: 'parameter_unsupported', parameter },
    }),
  ),
]

/**
 * Refuses a request for a token that would silently be another one: bound to a key, or for an agent.
 *
 * @returns the refusal of the first such parameter; undefined without one
 */
export function unsupportedParameterRefusal(form: Form): Refused<RequestRefusal> | undefined {
  const row = rows.find(({ parameter, isUnderstood }) => {
    const value = form.get(parameter)
    return value !== undefined && !isUnderstood(value)
  })
  return row && refuseRequest(row.refusal)
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
