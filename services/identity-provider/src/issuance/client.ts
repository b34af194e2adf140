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
  // The principal first: loading it loads everything else that a token of this client needs.
  const principal = directory.servicePrincipalByAppId(tenant.id, clientId)
  const application = directory.applicationByAppId(clientId)
  return application && principal && { application, principal }
}
