import {
  type AppRoleAssignment,
  type Directory,
  effectiveAssignments,
  graphAppId,
  isBlockedForAgents,
  roleOfBlueprints,
} from '@greeting/directory'
import { type AccessRefusal, type Refused, refuse } from '../refusals/refusal.ts'
import { isAgent } from './agent-identity.ts'
import type { Client } from './client.ts'
import type { Resource } from './resource.ts'

/** The roles of one API in a list of assignments, by the state of the API. */
type KnownRoles = { readonly resource: Resource; readonly roles: readonly string[] }

/** The roles in long lists of assignments. Until the directory changes, it gives the same list again. */
const knownRoles = new WeakMap<readonly AppRoleAssignment[], KnownRoles>()
/** Finding the roles of a shorter list costs no more than to look them up. */
const maxUnknownAssignments = 32

/**
 * The values of one API's roles that are assigned to one client, each once.
 *
 * An agent has the roles that it inherits from its blueprint too. Only enabled roles for applications have a value
 * here. An assignment satisfies `appRoleAssignmentRequired` even if its role is disabled, or has no value.
 *
 * @returns the values, or the refusal `role_required` when the API requires an assignment and there is none
 */
export function grantedRoles(
  directory: Directory,
  client: Client,
  resource: Resource,
): readonly string[] | Refused<AccessRefusal> {
  const assignments = effectiveAssignments(directory, client.principal)
  const known = knownRoles.get(assignments)
  if (
    known?.resource.principal === resource.principal &&
    known.resource.application === resource.application
  )
    return known.roles
  const assigned = new Set<string>()
  for (const { appRoleId, resourceId } of assignments) {
    if (resourceId === resource.principal.id) assigned.add(appRoleId)
  }
  if (assigned.size === 0 && resource.principal.appRoleAssignmentRequired)
    return refuse({
      reason: 'role_required',
      clientId: client.application.appId,
      clientName: client.principal.displayName,
      resource: resource.requestedAs,
      resourceName: resource.principal.displayName,
    })
  const values = new Set<string>()
  for (const { allowedMemberTypes, id, isEnabled, value } of resource.application.appRoles) {
    if (!assigned.has(id) || !isEnabled || !allowedMemberTypes.includes('Application')) continue
    if (value === null || value === '') continue
    if (isAgent(client) && isBlockedForAgents(resource.application.appId, value)) continue
    values.add(value)
  }
  if (client.application.blueprint !== null && resource.application.appId === graphAppId)
    values.add(roleOfBlueprints)
  const roles = [...values]
  if (assignments.length <= maxUnknownAssignments) return roles
  // A frozen list is also encoded for tokens once only.
  knownRoles.set(assignments, { resource, roles: Object.freeze(roles) })
  return roles
}
