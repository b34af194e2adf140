import type { Application } from '../../directory/application.ts'
import type { Directory } from '../../directory/directory.ts'
import { graphAppId } from '../../directory/privileged-api-ids.ts'
import type { ServicePrincipal } from '../../directory/service-principal.ts'
import { graphRoles } from '../graph/graph-roles.ts'

const neededRoleIds = [
  graphRoles['Application.ReadWrite.All'].id,
  graphRoles['AppRoleAssignment.ReadWrite.All'].id,
]

/** Whether a client of a tenant can get a token with the roles to manage the whole tenant. */
export function hasAdministrator(directory: Directory, tenantId: string, now: Date): boolean {
  for (const client of directory.servicePrincipalsOf(tenantId)) {
    const application = directory.applicationByAppId(client.appId)
    if (client.deletedDateTime !== null || !client.accountEnabled) continue
    if (application === undefined || !canAuthenticate(application, now)) continue
    const roles = graphRolesOf(directory, client)
    if (neededRoleIds.every((id) => roles.has(id))) return true
  }
  return false
}

function graphRolesOf(directory: Directory, client: ServicePrincipal): ReadonlySet<string> {
  const graph = directory.servicePrincipalByAppId(client.tenantId, graphAppId)
  return new Set(
    directory
      .assignmentsOf(client.id)
      .filter(({ resourceId }) => resourceId === graph?.id)
      .map(({ appRoleId }) => appRoleId),
  )
}

const canAuthenticate = (application: Application, now: Date): boolean =>
  !application.isFallbackPublicClient &&
  (application.federatedIdentityCredentials.length > 0 ||
    application.keyCredentials.some(({ endDateTime }) => endDateTime > now) ||
    (application.passwordAuthenticationAllowed &&
      application.passwordCredentials.some(({ endDateTime }) => endDateTime > now)))
