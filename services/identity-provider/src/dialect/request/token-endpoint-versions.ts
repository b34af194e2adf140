import type { Refused } from '../../issuance/refusal.ts'
import { type RequestRefusal, refuseRequest } from '../refusals/refusal.ts'
import type { TokenTimes } from '../token/token-times.ts'
import type { Form } from './form-body.ts'
import { isResourceName, resourceOfScope } from './scope.ts'

/** The differences between the versions of the token endpoint. None of them affects the token. */
export type TokenEndpointVersion = {
  /** The path of the endpoint below the tenant. */
  readonly path: string
  /** Reads the API that a form requests. */
  readonly readResource: (form: Form) => string | Refused<RequestRefusal>
  /** Makes the body of the answer that contains a token. */
  readonly envelope: (token: string, times: TokenTimes, resource: string) => object
}

/** The versions of the token endpoint. */
export const tokenEndpointVersions: readonly TokenEndpointVersion[] = [
  {
    path: '/oauth2/v2.0/token',
    readResource: (form) =>
      form.has('resource')
        ? refuseRequest({ reason: 'resource_parameter_on_v2' })
        : resourceOfScope(form.get('scope')),
    envelope: (token, { expiresInSeconds }) => ({
      token_type: 'Bearer',
      expires_in: expiresInSeconds,
      ext_expires_in: expiresInSeconds,
      access_token: token,
    }),
  },
  {
    path: '/oauth2/token',
    readResource: (form) => {
      const resource = form.get('resource')
      if (resource === undefined) {
        return refuseRequest({ reason: 'parameter_missing', parameter: 'resource' })
      }
      if (isResourceName(resource)) return resource
      return refuseRequest({ reason: 'scope_malformed', scope: resource })
    },
    envelope: (token, { expiresInSeconds, issuedAt, expiresAt }, resource) => ({
      access_token: token,
      token_type: 'Bearer',
      expires_in: String(expiresInSeconds),
      ext_expires_in: String(expiresInSeconds),
      expires_on: String(expiresAt),
      not_before: String(issuedAt),
      resource,
    }),
  },
]
