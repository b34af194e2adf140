import type { Application } from '../directory/application.ts'
import type { Directory } from '../directory/directory.ts'
import type { ServicePrincipal } from '../directory/service-principal.ts'
import type { Tenant } from '../directory/tenant.ts'

/** An application with its service principal in the tenant of the request. */
export type Client = {
  readonly application: Application
  readonly principal: ServicePrincipal
}

/** The client with an application id in a tenant; undefined when the tenant has none. */
export function findClient(
  directory: Directory,
  tenant: Tenant,
  clientId: string,
): Client | undefined {
  const application = directory.applicationByAppId(clientId)
  const principal = directory.servicePrincipalByAppId(tenant.id, clientId)
  return application && principal && { application, principal }
}
