import {
  type Application,
  type Directory,
  isGuid,
  type ServicePrincipal,
  type Tenant,
} from '@greeting/directory'
import { agentClient } from './agent-identity.ts'

/** An application that a tenant knows, because the tenant owns it or has a service principal for it. */
export type RegisteredClient = {
  readonly application: Application
  /** Undefined in the tenant that owns the application, until an administrator creates it. */
  readonly principal: ServicePrincipal | undefined
}

/** An application with its service principal in the tenant of the request. */
export type Client = RegisteredClient & { readonly principal: ServicePrincipal }

/**
 * Finds the client with an application ID in a tenant; undefined if the tenant does not know it.
 *
 * @param ownIssuers the issuers of the tokens with which agents authenticate
 */
export function findClient(
  directory: Directory,
  tenant: Tenant,
  clientId: string,
  ownIssuers: (tenant: Tenant) => readonly string[] = () => [],
): RegisteredClient | undefined {
  if (!isGuid(clientId)) return undefined
  // The principal first: loading it loads everything else that a token of this client needs.
  const principal = directory.servicePrincipalByAppId(tenant.id, clientId)
  const agentIdentityBlueprintId = principal?.agentIdentityBlueprintId ?? null
  if (principal !== undefined && agentIdentityBlueprintId !== null)
    return agentClient({ ...principal, agentIdentityBlueprintId }, ownIssuers(tenant))
  const application = directory.applicationByAppId(clientId)
  const isKnown = principal !== undefined || application?.tenantId === tenant.id
  return application && isKnown ? { application, principal } : undefined
}
