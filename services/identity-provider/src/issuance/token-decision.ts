// Folder: The decision about a token is a pure function of directory, request, facts and time.

import type { Directory, Tenant } from '@greeting/directory'
import {
  type AssertionFacts,
  type AuthenticatedClient,
  type AuthenticationRules,
  authenticateClient,
} from './client-authentication.ts'
import { presenterRefusal } from './exchanged-token.ts'
import { grantedRoles } from './granted-roles.ts'
import { type IssuanceRefusal, Refused, refuse } from './refusal.ts'
import { findResource, type Resource, type ResourceAliases } from './resource.ts'
import type { TokenRequest } from './token-request.ts'

/** The decision to issue a token: its tenant, its client, its API and its roles. */
export type TokenDecision = AuthenticatedClient & {
  readonly tenant: Tenant
  readonly resource: Resource
  readonly roles: readonly string[]
}

/** What the decision reads in addition to the directory. */
export type DecisionFacts = {
  readonly rules: AuthenticationRules
  readonly assertion: AssertionFacts
  readonly aliases?: ResourceAliases
}

/**
 * Decides whether a client gets the token that it requests. A pure function: the same directory,
 * request, facts and time have the same result.
 *
 * @returns the decision, or the refusal of the first phase that fails
 */
export function decideToken(
  directory: Directory,
  request: TokenRequest,
  { rules, assertion, aliases }: DecisionFacts,
  now: Date,
): TokenDecision | Refused<IssuanceRefusal> {
  // 1. The tenant.
  const tenant = findIssuingTenant(directory, request.tenant)
  if (tenant instanceof Refused) return tenant

  // 2. The client.
  const authenticated = authenticateClient(directory, tenant, request, assertion, rules, now)
  if (authenticated instanceof Refused) return authenticated

  // 3. to 5. What the client may have.
  return decideAccess(directory, tenant, authenticated, request.resource, aliases)
}

/**
 * Decides which roles of an API a client gets that has authenticated. A preview of a token starts here.
 *
 * @param resourceName the API as a client names it
 * @returns the decision, or the refusal of the first phase that fails
 */
export function decideAccess(
  directory: Directory,
  tenant: Tenant,
  authenticated: AuthenticatedClient,
  resourceName: string,
  aliases?: ResourceAliases,
): TokenDecision | Refused<IssuanceRefusal> {
  // 3. The client is enabled.
  const { client } = authenticated
  if (!client.principal.accountEnabled) {
    return refuse({
      reason: 'client_disabled',
      clientId: client.application.appId,
      clientName: client.principal.displayName,
    })
  }

  // 4. The API. After authentication, so that only clients learn which APIs exist.
  const resource = findResource(directory, tenant, resourceName, aliases)
  if (resource instanceof Refused) return resource

  // 5. The roles.
  const roles = grantedRoles(directory, client, resource)
  if (roles instanceof Refused) return roles
  const { presenter } = authenticated
  const refusal = presenter && presenterRefusal(directory, presenter, client, resource)
  if (refusal !== undefined) return refusal

  return { ...authenticated, tenant, resource, roles }
}

/**
 * Finds the tenant of a token request.
 *
 * @returns the tenant, or the refusal `tenant_unknown`, also for a tenant that is disabled
 */
export function findIssuingTenant(
  directory: Directory,
  name: string,
): Tenant | Refused<IssuanceRefusal> {
  const tenant = directory.tenant(name)
  return tenant?.isEnabled ? tenant : refuse({ reason: 'tenant_unknown', tenant: name })
}
