import type { Application } from '../directory/application.ts'
import type { Directory } from '../directory/directory.ts'
import { isGuid } from '../directory/guid.ts'
import type { ServicePrincipal } from '../directory/service-principal.ts'
import type { Tenant } from '../directory/tenant.ts'
import { type IssuanceRefusal, type Refused, refuse } from './refusal.ts'

/** The API for which a token is requested. */
export type Resource = {
  /** The name in the request; an application id in lower case. */
  readonly requestedAs: string
  readonly application: Application
  readonly principal: ServicePrincipal
}

/**
 * Finds the API that has a name in a tenant. One slash at the end of the name does not matter here,
 * but it becomes a part of the audience of a v1.0 token.
 *
 * @returns the API, or a refusal: `resource_unknown` or `resource_disabled`
 */
export function findResource(
  directory: Directory,
  tenant: Tenant,
  name: string,
): Resource | Refused<IssuanceRefusal> {
  const principal =
    directory.servicePrincipalByName(tenant.id, name) ??
    directory.servicePrincipalByName(tenant.id, name.endsWith('/') ? name.slice(0, -1) : `${name}/`)
  const application = principal && directory.applicationByAppId(principal.appId)
  if (principal === undefined || application === undefined) {
    return refuse({ reason: 'resource_unknown', resource: name, tenantId: tenant.id })
  }
  if (!principal.accountEnabled) return refuse({ reason: 'resource_disabled', resource: name })
  return { requestedAs: isGuid(name) ? name.toLowerCase() : name, application, principal }
}
