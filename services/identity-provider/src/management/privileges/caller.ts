import {
  type Directory,
  effectiveAssignments,
  graphAppId,
  isActive,
  isBlockedForAgents,
  parentOf,
  roleOfBlueprints,
} from '@greeting/directory'
import { refuse } from '../refusals/graph-error.ts'

/** The client of a request, according to its valid token. */
export type ManagementCaller = {
  readonly tenantId: string
  readonly applicationId: string
  /** The roles that the caller had when the token was issued. */
  readonly roles: readonly string[]
}

/** The roles that an operation requires. The caller must have one role of each group. */
export type RequiredRoles = readonly (readonly string[])[]

/**
 * Verifies the token of a request.
 *
 * @throws {GraphError} graph_refusal when the token is missing or invalid.
 */
export type Authenticate = (request: Request, environment: unknown) => Promise<ManagementCaller>

/**
 * The roles of a valid token that its client still has. A token is valid for up to an hour. Without
 * this check, a disabled client could use that hour to enable itself again.
 *
 * @param apiAppId the API that declares the roles
 * @throws {GraphError} graph_refusal caller_unknown for a disabled or deleted client, role_missing without the API.
 */
export function currentRoles(
  directory: Directory,
  { tenantId, applicationId, roles }: ManagementCaller,
  apiAppId: string,
): readonly string[] {
  const client = directory.servicePrincipalByAppId(tenantId, applicationId)
  const api = directory.servicePrincipalByAppId(tenantId, apiAppId)
  // An agent has no application, and acts only as long as its blueprint may.
  const isAgent = client !== undefined && client.agentIdentityBlueprintId !== null
  const holder = isAgent ? parentOf(directory, client) : client
  const application = directory.applicationByAppId(holder?.appId ?? '')
  const mayAct =
    directory.tenant(tenantId)?.isEnabled &&
    client?.accountEnabled &&
    isActive(holder) &&
    application !== undefined
  // The portal calls for the administrator of any tenant, and only one tenant has the server's own API.
  if (mayAct && api === undefined) throw refuse('role_missing')
  if (!mayAct || !api?.accountEnabled) throw refuse('caller_unknown')
  const assigned = new Set(
    effectiveAssignments(directory, client)
      .filter(({ resourceId }) => resourceId === api.id)
      .map(({ appRoleId }) => appRoleId),
  )
  const declared = directory.applicationByAppId(apiAppId)?.appRoles ?? []
  const isBlueprint = !isAgent && apiAppId === graphAppId && application.blueprint !== null
  return declared.flatMap(({ id, isEnabled, value }) => {
    if (!isEnabled || value === null || !roles.includes(value)) return []
    if (isAgent && isBlockedForAgents(apiAppId, value)) return []
    return assigned.has(id) || (isBlueprint && value === roleOfBlueprints) ? [value] : []
  })
}

/** True if a caller has one of the roles in each group. */
export const hasRoles = (roles: readonly string[], requirement: RequiredRoles): boolean =>
  requirement.every((group) => group.some((role) => roles.includes(role)))
