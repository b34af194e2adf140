import type { Application } from '../directory/application.ts'
import type { Directory } from '../directory/directory.ts'
import { managementApiAppIds } from '../directory/management-api-ids.ts'
import type { ServicePrincipal } from '../directory/service-principal.ts'
import { refuse } from './http/graph-error.ts'
import type { ChangingCall } from './http/operation.ts'

/**
 * Judges whether the caller may let a client do what its management roles allow: by bringing it back,
 * or by giving somebody a credential of it. Only who has all these roles may; else managing
 * applications would be a ladder to every other role.
 *
 * @throws {GraphError} GRAPH_REFUSAL roleNotOwned.
 */
export function requireOwnRoles(call: ChangingCall, client: ServicePrincipal | undefined): void {
  if (client === undefined) return
  const own = rolesOfCaller(call)
  for (const [id, value] of managementRoles(call.committed, client))
    if (!own.has(id)) throw refuse('roleNotOwned', value)
}

/**
 * The same for whoever acts as an application.
 *
 * @throws {GraphError} GRAPH_REFUSAL roleNotOwned.
 */
export const requireOwnRolesOf = (call: ChangingCall, { appId }: Application): void =>
  requireOwnRoles(call, call.committed.servicePrincipalByAppId(call.caller.tenantId, appId))

/**
 * Judges whether the caller may assign a role: a management role only when the caller has it.
 *
 * @throws {GraphError} GRAPH_REFUSAL roleNotOwned.
 */
export function requireOwnRole(call: ChangingCall, apiAppId: string, roleId: string): void {
  if (!managementApiAppIds.includes(apiAppId) || rolesOfCaller(call).has(roleId)) return
  const roles = call.committed.applicationByAppId(apiAppId)?.appRoles ?? []
  throw refuse('roleNotOwned', roles.find(({ id }) => id === roleId)?.value ?? roleId)
}

function rolesOfCaller({ caller, committed }: ChangingCall): ReadonlyMap<string, string> {
  const client = committed.servicePrincipalByAppId(caller.tenantId, caller.applicationId)
  return client === undefined ? new Map() : managementRoles(committed, client)
}

/** The management roles that are assigned to a client, by id, with their values. */
function managementRoles(
  directory: Directory,
  client: ServicePrincipal,
): ReadonlyMap<string, string> {
  const roles = new Map<string, string>()
  for (const { resourceId, appRoleId } of directory.assignmentsOf(client.id)) {
    const appId = directory.servicePrincipal(resourceId)?.appId
    if (appId === undefined || !managementApiAppIds.includes(appId)) continue
    const role = directory.applicationByAppId(appId)?.appRoles.find(({ id }) => id === appRoleId)
    if (role !== undefined) roles.set(role.id, role.value ?? role.id)
  }
  return roles
}
