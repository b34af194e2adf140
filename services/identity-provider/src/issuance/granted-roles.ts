import type { Directory } from '../directory/directory.ts'
import type { Client } from './client.ts'
import { type IssuanceRefusal, type Refused, refuse } from './refusal.ts'
import type { Resource } from './resource.ts'

/**
 * The values of the roles of one API that are assigned to one client, each once.
 *
 * Only enabled roles for applications have a value here. An assignment satisfies
 * `appRoleAssignmentRequired` even if its role is disabled, or has no value.
 *
 * @returns the values, or the refusal `role_required` when the API requires an assignment and there is none
 */
export function grantedRoles(
  directory: Directory,
  client: Client,
  resource: Resource,
): readonly string[] | Refused<IssuanceRefusal> {
  const assignments = directory
    .assignmentsOf(client.principal.id)
    .filter(({ resourceId }) => resourceId === resource.principal.id)
  if (assignments.length === 0 && resource.principal.appRoleAssignmentRequired) {
    return refuse({
      reason: 'role_required',
      clientId: client.application.appId,
      clientName: client.principal.displayName,
      resource: resource.requestedAs,
      resourceName: resource.principal.displayName,
    })
  }
  const values = resource.application.appRoles
    .filter(
      ({ isEnabled, allowedMemberTypes }) =>
        isEnabled && allowedMemberTypes.includes('Application'),
    )
    .filter(({ id }) => assignments.some(({ appRoleId }) => appRoleId === id))
    .flatMap(({ value }) => (value === null || value === '' ? [] : [value]))
  return [...new Set(values)]
}
