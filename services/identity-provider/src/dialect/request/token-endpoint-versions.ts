import { isGuid } from '@greeting/directory'
import type { TokenRequest } from '../../issuance/token-request.ts'
import { Refused, type RequestRefusal, refuse } from '../../refusals/refusal.ts'
import type { TokenTimes } from '../token/token-times.ts'
import type { Form } from './form-body.ts'

/** The differences between the versions of the token endpoint. None of them affects the token. */
export type TokenEndpointVersion = {
  /** The path of the endpoint below the tenant. */
  readonly path: string
  /** Whether the scope names the API, and `resource` only repeats it. */
  readonly hasScope: boolean
  /** Reads the API that a form requests. */
  readonly readResource: (
    form: Form,
    acceptsMcpClients: boolean,
  ) => RequestedResource | Refused<RequestRefusal>
  /** Makes the body of the answer that contains a token. */
  readonly envelope: (token: string, times: TokenTimes, resource: string) => object
}

type RequestedResource = Pick<TokenRequest, 'resource' | 'resourceParameter' | 'isNamedByResource'>

/** The versions of the token endpoint. */
export const tokenEndpointVersions: readonly TokenEndpointVersion[] = [
  {
    path: '/oauth2/v2.0/token',
    hasScope: true,
    readResource: (form, acceptsMcpClients) => {
      const resourceParameter = form.get('resource')
      const isNamedByResource = acceptsMcpClients && !form.has('scope') && isUri(resourceParameter)
      if (isNamedByResource)
        return { resource: resourceParameter, resourceParameter, isNamedByResource }
      const resource = resourceOfScope(form.get('scope'))
      return resource instanceof Refused ? resource : { resource, resourceParameter }
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
    hasScope: false,
    readResource: (form) => {
      const resource = form.get('resource')
      if (resource === undefined)
        return refuse({ reason: 'parameter_missing', parameter: 'resource' })
      if (isResourceName(resource)) return { resource }
      return refuse({ reason: 'scope_malformed', scope: resource })
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

const suffix = '/.default'

/** Scopes about users. Some clients always send them. They have no meaning here. */
const ignoredScopes = new Set(['openid', 'profile', 'offline_access', 'email'])

/**
 * Reads the resource of a scope: the unchanged text before `/.default`.
 *
 * @returns the resource, or a refusal: `scope_missing`, `scope_not_default`,
 *   `scope_has_several_resources` or `scope_malformed`
 */
export function resourceOfScope(scope: string | undefined): string | Refused<RequestRefusal> {
  if (scope === undefined) return refuse({ reason: 'scope_missing' })
  const scopes = scope.split(' ').filter((one) => one !== '' && !ignoredScopes.has(one))
  if (scopes.length === 0 || !scopes.every((one) => one.endsWith(suffix)))
    return refuse({ reason: 'scope_not_default', scope })
  const [resource = '', ...others] = new Set(scopes.map((one) => one.slice(0, -suffix.length)))
  if (others.length > 0) return refuse({ reason: 'scope_has_several_resources', scope })
  return isResourceName(resource) ? resource : refuse({ reason: 'scope_malformed', scope })
}

/** Whether a text can be the name of an API: an application id, or an absolute URI. */
const isResourceName = (name: string): boolean => isGuid(name) || isUri(name)

const isUri = (name: string | undefined): name is string =>
  name !== undefined &&
  /^[a-z][a-z0-9+.-]*:/i.test(name) &&
  !name.includes('#') &&
  URL.canParse(name)
