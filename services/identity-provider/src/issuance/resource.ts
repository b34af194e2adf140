import type { Application } from '../directory/application.ts'
import type { Directory } from '../directory/directory.ts'
import { isGuid } from '../directory/guid.ts'
import type { ServicePrincipal } from '../directory/service-principal.ts'
import type { Tenant } from '../directory/tenant.ts'
import { refuse } from './refusal.ts'

/** The API that a token is asked for. */
export type Resource = {
  /** As the client named it; an application id in lower case. */
  readonly requestedAs: string
  readonly application: Application
  readonly principal: ServicePrincipal
}

/**
 * Finds the API that a tenant knows by a name. One slash at the end makes no difference to whether
 * it is found, though it does to the audience of a v1.0 token.
 *
 * @throws {RefusedError} resource_unknown, resource_disabled
 */
export function findResource(directory: Directory, tenant: Tenant, name: string): Resource {
  const principal =
    directory.servicePrincipalByName(tenant.id, name) ??
    directory.servicePrincipalByName(tenant.id, name.endsWith('/') ? name.slice(0, -1) : `${name}/`)
  const application = principal && directory.applicationByAppId(principal.appId)
  if (principal === undefined || application === undefined)
    return refuse({ reason: 'resource_unknown', resource: name, tenantName: tenant.displayName })
  if (!principal.accountEnabled) refuse({ reason: 'resource_disabled', resource: name })
  return { requestedAs: isGuid(name) ? name.toLowerCase() : name, application, principal }
}
