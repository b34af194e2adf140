import {
  type Application,
  type Directory,
  newApplication,
  parentOf,
  type ServicePrincipal,
  type Tenant,
  tokenExchangeUri,
} from '@greeting/directory'
import { type AccessRefusal, type Refused, refuse } from '../refusals/refusal.ts'

/**
 * The subject of the token that a blueprint gets for one of its agents (entra E193): tenant and blueprint as
 * the bytes of .NET GUIDs, then `fmi_path` as it was sent.
 */
export const agentSubject = (tenantId: string, blueprintAppId: string, fmiPath: string): string =>
  `/eid1/c/pub/t/${guidText(tenantId)}/a/${guidText(blueprintAppId)}/${fmiPath}`

const guidText = (guid: string) => guidBytes(guid).toString('base64url')

/** The bytes of a GUID in the order of .NET: the first three groups are little-endian. */
export function guidBytes(guid: string): Buffer {
  const bytes = Buffer.from(guid.replaceAll('-', ''), 'hex')
  bytes.subarray(0, 4).reverse()
  bytes.subarray(4, 6).reverse()
  bytes.subarray(6, 8).reverse()
  return bytes
}

/**
 * An agent identity as a client. It has neither an application nor a credential, and trusts only
 * the tokens that this server issued to its blueprint for it.
 *
 * @param issuers the issuers of v2.0 tokens of this server, for the tenant of the agent
 */
export function agentClient(
  agent: ServicePrincipal & { readonly agentIdentityBlueprintId: string },
  issuers: readonly string[],
): { readonly application: Application; readonly principal: ServicePrincipal } {
  const { id, appId, agentIdentityBlueprintId, createdDateTime, displayName, tenantId } = agent
  const trust = {
    id,
    name: 'blueprint',
    description: null,
    subject: agentSubject(tenantId, agentIdentityBlueprintId, appId),
    audiences: [tokenExchangeUri],
  }
  const federatedIdentityCredentials = issuers.map((issuer) => ({ ...trust, issuer }))
  return {
    application: newApplication({
      id,
      tenantId,
      appId,
      displayName,
      createdDateTime,
      federatedIdentityCredentials,
    }),
    principal: { ...agent, passwordCredentials: [], keyCredentials: [] },
  }
}

export const isAgent = ({
  principal,
}: {
  readonly principal: ServicePrincipal | undefined
}): boolean => principal !== undefined && principal.agentIdentityBlueprintId !== null

/**
 * Requires that the blueprint of an agent still exists in the tenant and is enabled.
 *
 * @returns `undefined`, or a refusal: `service_principal_missing` or `client_disabled`
 */
export function parentRefusal(
  directory: Directory,
  agent: ServicePrincipal,
): Refused<AccessRefusal> | undefined {
  const { agentIdentityBlueprintId: clientId, tenantId } = agent
  if (clientId === null) return undefined
  const parent = parentOf(directory, agent)
  if (parent === undefined || !directory.applicationByAppId(clientId)?.blueprint)
    return refuse({ reason: 'service_principal_missing', clientId, tenantId })
  if (parent.accountEnabled) return undefined
  return refuse({ reason: 'client_disabled', clientId, clientName: parent.displayName })
}

/**
 * Finds the agent for which a blueprint requests a token.
 *
 * @param fmiPath the client ID of the agent, in any case
 * @returns the agent, or a refusal: `agent_unknown`, also for an agent of another blueprint, or `client_disabled`
 */
export function findOwnAgent(
  directory: Directory,
  tenant: Tenant,
  blueprintAppId: string,
  fmiPath: string,
): ServicePrincipal | Refused<AccessRefusal> {
  const agent = directory.servicePrincipalByAppId(tenant.id, fmiPath)
  if (agent?.agentIdentityBlueprintId !== blueprintAppId) {
    const tenantName = tenant.displayName
    return refuse({ reason: 'agent_unknown', clientId: fmiPath, tenantName })
  }
  if (agent.accountEnabled) return agent
  return refuse({ reason: 'client_disabled', clientId: agent.appId, clientName: agent.displayName })
}
