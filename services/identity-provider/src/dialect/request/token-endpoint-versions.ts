import { refuseRequest } from '../refusals/request-refusal.ts'
import type { TokenTimes } from '../token/token-times.ts'
import type { Form } from './form-body.ts'
import { isResourceName, resourceOfScope } from './scope.ts'

/** What one version of the token endpoint does in its own way. Neither decides about the token. */
export type TokenEndpointVersion = {
  /** Path of the endpoint below the tenant. */
  readonly path: string
  /** The API that a form asks for. */
  readonly readResource: (form: Form) => string
  /** The answer that carries a token. */
  readonly envelope: (token: string, times: TokenTimes, resource: string) => object
}

/** The token endpoints, by version. */
export const tokenEndpointVersions: readonly TokenEndpointVersion[] = [
  {
    path: '/oauth2/v2.0/token',
    readResource: (form) => {
      if (form.has('resource')) refuseRequest({ reason: 'resource_parameter_on_v2' })
      return resourceOfScope(form.get('scope'))
    },
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
      if (resource === undefined)
        return refuseRequest({ reason: 'parameter_missing', parameter: 'resource' })
      if (!isResourceName(resource)) refuseRequest({ reason: 'scope_malformed', scope: resource })
      return resource
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
