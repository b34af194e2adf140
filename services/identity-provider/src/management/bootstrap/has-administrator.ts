import type { Application } from '../../directory/application/application.ts'
import type { Directory } from '../../directory/directory.ts'
import { graphAppId } from '../../directory/privileged-api-ids.ts'
import type { ServicePrincipal } from '../../directory/service-principal/service-principal.ts'
import { graphRoles } from '../privileges/graph-roles.ts'

const firstRoleId = graphRoles['AppRoleAssignment.ReadWrite.All'].id
const otherRoleIds = [graphRoles['Application.ReadWrite.All'].id]

/** Whether a client of a tenant can get a token with the roles to manage the whole tenant. */
export function hasAdministrator(directory: Directory, tenantId: string, now: Date): boolean {
  const graph = directory.servicePrincipalByAppId(tenantId, graphAppId)
  if (graph === undefined) return false
  for (const { principalId } of directory.assignmentsOfRole(graph.id, firstRoleId)) {
    const client = directory.servicePrincipal(principalId)
    if (client?.tenantId !== tenantId || client.deletedDateTime !== null) continue
    const application = directory.applicationByAppId(client.appId)
    if (!client.accountEnabled) continue
    if (application === undefined || !canAuthenticate(application, client, now)) continue
    const roles = rolesOf(directory, client, graph)
    if (otherRoleIds.every((id) => roles.has(id))) return true
  }
  return false
}

const rolesOf = (
  directory: Directory,
  client: ServicePrincipal,
  api: ServicePrincipal,
): ReadonlySet<string> =>
  new Set(
    directory
      .assignmentsOf(client.id)
      .filter(({ resourceId }) => resourceId === api.id)
      .map(({ appRoleId }) => appRoleId),
  )

function canAuthenticate(
  application: Application,
  principal: ServicePrincipal,
  now: Date,
): boolean {
  const hasLive = (kind: 'keyCredentials' | 'passwordCredentials') =>
    [...application[kind], ...principal[kind]].some(({ endDateTime }) => endDateTime > now)
  return (
    !application.isFallbackPublicClient &&
    (application.federatedIdentityCredentials.length > 0 ||
      hasLive('keyCredentials') ||
      (application.passwordAuthenticationAllowed && hasLive('passwordCredentials')))
  )
}
