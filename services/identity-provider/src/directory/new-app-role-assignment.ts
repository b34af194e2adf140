import type { AppRoleAssignment } from './app-role-assignment.ts'
import type { Directory } from './directory.ts'
import type { Runtime } from './runtime.ts'
import type { ServicePrincipal } from './service-principal.ts'

/**
 * What admin consent adds: an assignment for every application permission that the client requests
 * and does not have yet. Permissions of APIs that the tenant does not know are passed over.
 */
export function assignmentsOfConsent(
  directory: Directory,
  client: ServicePrincipal,
  source: Runtime,
): AppRoleAssignment[] {
  const application = directory.applicationByAppId(client.appId)
  const present = new Set(
    directory.assignmentsOf(client.id).map(({ resourceId, appRoleId }) => resourceId + appRoleId),
  )
  return (application?.requiredResourceAccess ?? []).flatMap(
    ({ resourceAppId, resourceAccess }) => {
      const resource = directory.servicePrincipalByAppId(client.tenantId, resourceAppId)
      const declared = directory.applicationByAppId(resourceAppId)?.appRoles ?? []
      if (resource === undefined) return []
      return resourceAccess
        .filter(({ type, id }) => type === 'Role' && declared.some((role) => role.id === id))
        .filter(({ id }) => !present.has(resource.id + id))
        .map(({ id }) => newAppRoleAssignment(client, resource, id, source))
    },
  )
}

/** The assignment of one role of a resource to a client. */
export const newAppRoleAssignment = (
  client: ServicePrincipal,
  resource: ServicePrincipal,
  appRoleId: string,
  source: Runtime,
): AppRoleAssignment => ({
  id: Buffer.from(source.randomBytes(32)).toString('base64url'),
  tenantId: client.tenantId,
  principalId: client.id,
  resourceId: resource.id,
  appRoleId,
  createdDateTime: source.now(),
})
