import type { Application } from '../directory/application.ts'
import type { Directory } from '../directory/directory.ts'
import type { ServicePrincipal } from '../directory/service-principal.ts'
import type { Tenant } from '../directory/tenant.ts'

/** An application as it stands in the tenant that it asks. */
export type Client = {
  readonly application: Application
  readonly principal: ServicePrincipal
}

/** The client that a tenant knows by an application id; undefined when it knows none. */
export function findClient(
  directory: Directory,
  tenant: Tenant,
  clientId: string,
): Client | undefined {
  const application = directory.applicationByAppId(clientId)
  const principal = directory.servicePrincipalByAppId(tenant.id, clientId)
  return application && principal && { application, principal }
}
