// Folder: The decision about a token is a pure function of directory, request, facts and time.

import {
  type Directory,
  graphAppId,
  type ServicePrincipal,
  type Tenant,
  tokenExchangeAppId,
} from '@greeting/directory'
import {
  type AccessRefusal,
  type AuthenticationRefusal,
  Refused,
  refuse,
} from '../refusals/refusal.ts'
import { findOwnAgent, isAgent, parentRefusal } from './agent-identity.ts'
import type { Client } from './client.ts'
import {
  type AssertionFacts,
  type AuthenticatedClient,
  type AuthenticationRules,
  authenticateClient,
} from './client-authentication.ts'
import { presenterRefusal } from './exchanged-token.ts'
import { grantedRoles } from './granted-roles.ts'
import {
  checkResourceParameter,
  findResource,
  type Resource,
  type ResourceAliases,
} from './resource.ts'
import type { TokenRequest } from './token-request.ts'

/** The decision to issue a token: its tenant, its client, its API and its roles. */
export type TokenDecision = AuthenticatedClient & {
  readonly tenant: Tenant
  readonly resource: Resource
  readonly roles: readonly string[]
  /** The agent that the token will authenticate, when the client is its blueprint. */
  readonly agent?: ServicePrincipal
  /** The agent as the request names it. */
  readonly fmiPath?: string
  /** The capabilities that the client declares. */
  readonly capabilities?: readonly string[] | undefined
}

/** The data that the decision reads in addition to the directory. */
export type DecisionFacts = {
  readonly rules: AuthenticationRules
  readonly assertion: AssertionFacts
  readonly aliases?: ResourceAliases
}

/**
 * Decides whether a client gets the token that it requests. It is a pure function: the same
 * directory, request, facts and time give the same result.
 *
 * @returns the decision, or the refusal of the first phase that fails
 */
export function decideToken(
  directory: Directory,
  request: TokenRequest,
  { rules, assertion, aliases }: DecisionFacts,
  now: Date,
): TokenDecision | Refused<AuthenticationRefusal> | Refused<AccessRefusal> {
  // 1. The tenant.
  const tenant = findIssuingTenant(directory, request.tenant)
  if (tenant instanceof Refused) return tenant

  // 2. The client.
  const authenticated = authenticateClient(directory, tenant, request, assertion, rules, now)
  if (authenticated instanceof Refused) return authenticated

  // 3. to 5. What the client may have.
  const decision = decideAccess(directory, tenant, authenticated, request, aliases)
  if (decision instanceof Refused) return decision

  // 6. The parameter `resource` names the same API.
  const resource = checkResourceParameter(directory, decision, request, rules, aliases)
  const { capabilities } = request
  return resource instanceof Refused ? resource : { ...decision, resource, capabilities }
}

/**
 * Decides which roles of an API an authenticated client gets. A token preview starts here.
 *
 * @param request the API as a client names it, and the agent of a blueprint
 * @returns the decision, or the refusal of the first phase that fails
 */
export function decideAccess(
  directory: Directory,
  tenant: Tenant,
  authenticated: AuthenticatedClient,
  request: Pick<TokenRequest, 'resource' | 'fmiPath'>,
  aliases?: ResourceAliases,
): TokenDecision | Refused<AccessRefusal> {
  // 3. The client is enabled.
  const { client } = authenticated
  if (!client.principal.accountEnabled)
    return refuse({
      reason: 'client_disabled',
      clientId: client.application.appId,
      clientName: client.principal.displayName,
    })

  const orphaned = parentRefusal(directory, client.principal)
  if (orphaned !== undefined) return orphaned

  // 4. The API. After authentication, so that only clients learn which APIs exist.
  const resource = findResource(directory, tenant, request.resource, aliases)
  if (resource instanceof Refused) return resource

  const agent = agentOf(directory, tenant, client, resource, request.fmiPath)
  if (agent instanceof Refused) return agent

  // 5. The roles.
  const roles = grantedRoles(directory, client, resource)
  if (roles instanceof Refused) return roles
  const { presenter } = authenticated
  const refusal = presenter && presenterRefusal(directory, presenter, client, resource)
  if (refusal !== undefined) return refusal

  return { ...authenticated, tenant, resource, roles, ...agent }
}

/**
 * Decides what a request of a blueprint or of an agent is for.
 *
 * @returns the agent of a token for token exchange, nothing for any other token, or a refusal:
 *   `agent_resource_not_permitted`, `agent_path_missing`, `agent_path_unexpected`, `agent_unknown` or
 *   `client_disabled`
 */
function agentOf(
  directory: Directory,
  tenant: Tenant,
  client: Client,
  resource: Resource,
  fmiPath: string | undefined,
): Pick<TokenDecision, 'agent' | 'fmiPath'> | Refused<AccessRefusal> {
  const { appId: clientId, blueprint } = client.application
  const { appId: resourceId } = resource.application
  const isExchange = resourceId === tokenExchangeAppId
  const isPermitted = isAgent(client)
    ? !isExchange
    : blueprint === null || isExchange || resourceId === graphAppId
  if (!isPermitted) return refuse({ reason: 'agent_resource_not_permitted', clientId, resourceId })
  if (blueprint !== null && isExchange) {
    if (fmiPath === undefined) return refuse({ reason: 'agent_path_missing' })
    const agent = findOwnAgent(directory, tenant, clientId, fmiPath)
    return agent instanceof Refused ? agent : { agent, fmiPath }
  }
  return fmiPath === undefined ? {} : refuse({ reason: 'agent_path_unexpected' })
}

/**
 * Finds the tenant of a token request.
 *
 * @returns the tenant, or the refusal `tenant_unknown`, also for a tenant that is disabled
 */
export function findIssuingTenant(
  directory: Directory,
  name: string,
): Tenant | Refused<AuthenticationRefusal> {
  const tenant = directory.tenant(name)
  return tenant?.isEnabled ? tenant : refuse({ reason: 'tenant_unknown', tenant: name })
}
