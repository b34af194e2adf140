import {
  type Application,
  type Directory,
  isGuid,
  type ServicePrincipal,
  type Tenant,
} from '@greeting/directory'

/** An application that a tenant knows: it owns the application, or has a service principal of it. */
export type RegisteredClient = {
  readonly application: Application
  /** Undefined in the tenant that owns the application, until an administrator creates it. */
  readonly principal: ServicePrincipal | undefined
}

/** An application with its service principal in the tenant of the request. */
export type Client = RegisteredClient & { readonly principal: ServicePrincipal }

/** The client with an application id in a tenant; undefined when the tenant does not know it. */
export function findClient(
  directory: Directory,
  tenant: Tenant,
  clientId: string,
): RegisteredClient | undefined {
  if (!isGuid(clientId)) return undefined
  // The principal first: loading it loads everything else that a token of this client needs.
  const principal = directory.servicePrincipalByAppId(tenant.id, clientId)
  const application = directory.applicationByAppId(clientId)
  const isKnown = principal !== undefined || application?.tenantId === tenant.id
  return application && isKnown ? { application, principal } : undefined
}
