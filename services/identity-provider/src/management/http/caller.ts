import type { Directory } from '../../directory/directory.ts'
import { refuse } from './graph-error.ts'

/** Who calls, as a valid token says. */
export type ManagementCaller = {
  readonly tenantId: string
  readonly applicationId: string
  /** The roles that the caller had when the token was made. */
  readonly roles: readonly string[]
}

/** Of each group the caller must have one role. */
export type RequiredRoles = readonly (readonly string[])[]

/**
 * Takes the token of a request for what it says.
 *
 * @throws {GraphError} graph_refusal when there is no token, or it is not valid here.
 */
export type Authenticate = (request: Request, environment: unknown) => Promise<ManagementCaller>

/**
 * The roles of a valid token that its client still has. A token outlives by up to an hour what it
 * says, and management cannot wait that long: whoever was disabled could use the hour to undo it.
 *
 * @param apiAppId The API whose roles count.
 * @throws {GraphError} graph_refusal caller_unknown when the client is disabled or gone.
 */
export function currentRoles(
  directory: Directory,
  { tenantId, applicationId, roles }: ManagementCaller,
  apiAppId: string,
): readonly string[] {
  const client = directory.servicePrincipalByAppId(tenantId, applicationId)
  const api = directory.servicePrincipalByAppId(tenantId, apiAppId)
  const isAlive =
    directory.tenant(tenantId)?.isEnabled &&
    client?.accountEnabled &&
    directory.applicationByAppId(applicationId) !== undefined
  if (!isAlive || !api?.accountEnabled) throw refuse('caller_unknown')
  const assigned = new Set(
    directory
      .assignmentsOf(client.id)
      .filter(({ resourceId }) => resourceId === api.id)
      .map(({ appRoleId }) => appRoleId),
  )
  const declared = directory.applicationByAppId(apiAppId)?.appRoles ?? []
  return declared.flatMap(({ id, isEnabled, value }) =>
    isEnabled && value !== null && assigned.has(id) && roles.includes(value) ? [value] : [],
  )
}

/** @throws {GraphError} graph_refusal role_missing when the roles do not meet the requirement. */
export function requireRoles(roles: readonly string[], requirement: RequiredRoles): void {
  for (const group of requirement)
    if (!group.some((role) => roles.includes(role))) throw refuse('role_missing')
}
