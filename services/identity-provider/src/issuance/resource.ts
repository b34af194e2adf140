import {
  type Application,
  type Directory,
  isGuid,
  type ServicePrincipal,
  type Tenant,
} from '@greeting/directory'
import { type IssuanceRefusal, type Refused, refuse } from './refusal.ts'
import type { TokenRequest } from './token-request.ts'

/** The API for which a token is requested. */
export type Resource = {
  /** The name in the request; an application id in lower case. */
  readonly requestedAs: string
  readonly application: Application
  readonly principal: ServicePrincipal
}

/** Names of APIs that the directory does not contain: the application ID for each. */
export type ResourceAliases = ReadonlyMap<string, string>

/**
 * Finds the API that has a name in a tenant. One slash at the end of the name does not matter here,
 * but it becomes a part of the audience of a v1.0 token.
 *
 * @param aliases more names, without a slash at the end
 * @returns the API, or a refusal: `resource_unknown` or `resource_disabled`
 */
export function findResource(
  directory: Directory,
  tenant: Tenant,
  name: string,
  aliases: ResourceAliases = new Map(),
): Resource | Refused<IssuanceRefusal> {
  const find = (one: string) => directory.servicePrincipalByName(tenant.id, one)
  const bare = name.endsWith('/') ? name.slice(0, -1) : name
  // An alias comes first, so that no registration can take the name of a built-in API.
  const principal = find(aliases.get(bare) ?? name) ?? find(name === bare ? `${name}/` : bare)
  const application = principal && directory.applicationByAppId(principal.appId)
  if (principal === undefined || application === undefined) {
    return refuse({ reason: 'resource_unknown', resource: name, tenantId: tenant.id })
  }
  if (!principal.accountEnabled) return refuse({ reason: 'resource_disabled', resource: name })
  return { requestedAs: isGuid(name) ? name.toLowerCase() : name, application, principal }
}

/**
 * Compares the parameter `resource` of the v2.0 endpoint with the API of the scope: RFC 8707.
 *
 * @returns `undefined`, or the refusal `resource_parameter_differs`
 */
export function resourceParameterRefusal(
  directory: Directory,
  tenant: Tenant,
  { application }: Resource,
  { resourceParameter: name }: Pick<TokenRequest, 'resourceParameter'>,
  aliases?: ResourceAliases,
): Refused<IssuanceRefusal> | undefined {
  if (name === undefined) return undefined
  const named = isGuid(name) ? undefined : findResource(directory, tenant, name, aliases)
  const isSame = named && 'application' in named && named.application.id === application.id
  return isSame ? undefined : refuse({ reason: 'resource_parameter_differs' })
}
