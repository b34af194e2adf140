import {
  type Application,
  acceptsMappedClaims,
  azurePrincipal,
  builtInApiAppIds,
  type Directory,
  isGuid,
  isLoopbackUrl,
  type ServicePrincipal,
  type Tenant,
} from '@greeting/directory'
import { type AccessRefusal, Refused, refuse } from '../refusals/refusal.ts'
import type { TokenRequest } from './token-request.ts'

/** The API for which a token is requested. */
export type Resource = {
  /** The name in the request; an application id in lower case. */
  readonly requestedAs: string
  readonly application: Application
  readonly principal: ServicePrincipal
}

/** Names of APIs that the directory does not contain, with the application ID of each API. */
export type ResourceAliases = ReadonlyMap<string, string>

/**
 * Finds the API that has a name in a tenant, in any case. One slash at the end of the name does not matter here,
 * but it becomes a part of the audience of a v1.0 token, as `spn:` before the name does (entra E372).
 *
 * @param aliases more names, in lower case and without a slash at the end
 * @returns the API, or a refusal: `resource_unknown`, `resource_disabled` or `mapped_claims_not_accepted`
 */
export function findResource(
  directory: Directory,
  tenant: Tenant,
  name: string,
  aliases: ResourceAliases = new Map(),
): Resource | Refused<AccessRefusal> {
  const find = (one: string) => directory.servicePrincipalByName(tenant.id, one)
  const bare = name.endsWith('/') ? name.slice(0, -1) : name
  // An alias comes first, so that no registration can take the name of a built-in API.
  const alias = aliases.get(bare.toLowerCase())
  const known = find(alias ?? name) ?? find(name === bare ? `${name}/` : bare)
  const withoutPrefix = name.replace(/^spn:/i, '')
  const principal = known ?? find(withoutPrefix) ?? azurePrincipal(tenant.id, withoutPrefix)
  const application = principal && directory.applicationByAppId(principal.appId)
  if (principal === undefined || application === undefined)
    return refuse({ reason: 'resource_unknown', resource: name, tenantId: tenant.id })
  if (!principal.accountEnabled) return refuse({ reason: 'resource_disabled', resource: name })
  const hasMapping = tenant.policies.some(
    ({ id, kind }) => kind === 'claimsMapping' && principal.policyIds.includes(id),
  )
  const isOwn = builtInApiAppIds.includes(principal.appId)
  if (hasMapping && !isOwn && !acceptsMappedClaims(application))
    return refuse({ reason: 'mapped_claims_not_accepted' })
  return { requestedAs: isGuid(name) ? name.toLowerCase() : name, application, principal }
}

/**
 * Compares the parameter `resource` of the v2.0 endpoint with the API of the scope: RFC 8707. A URL of
 * this machine cannot be an identifier URI in Entra, so only MCP clients may send one.
 *
 * @returns the API, with the audience of a scope, or the refusal `resource_parameter_differs`
 */
export function checkResourceParameter(
  directory: Directory,
  { tenant, resource }: { readonly tenant: Tenant; readonly resource: Resource },
  { resourceParameter: name, isNamedByResource }: TokenRequest,
  { acceptsMcpClients }: { readonly acceptsMcpClients?: boolean },
  aliases?: ResourceAliases,
): Resource | Refused<AccessRefusal> {
  if (name === undefined) return resource
  const { id, appId, identifierUris } = resource.application
  const isAcceptable = !isGuid(name) && (acceptsMcpClients || !isLoopbackUrl(name))
  const named = isAcceptable ? findResource(directory, tenant, name, aliases) : undefined
  if (named === undefined || named instanceof Refused || named.application.id !== id)
    return refuse({ reason: 'resource_parameter_differs' })
  if (!isNamedByResource) return resource
  const requestedAs = identifierUris.find((uri) => uri.startsWith('api:')) ?? appId
  return { ...resource, requestedAs }
}
