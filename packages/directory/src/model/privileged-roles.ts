import type { Directory } from './directory.ts'
import { emptyGuid } from './guid.ts'
import { privilegedApiAppIds } from './privileged-api-ids.ts'
import type { AppRoleAssignment } from './service-principal/app-role-assignment.ts'
import type { ServicePrincipal } from './service-principal/service-principal.ts'

/** The assignment of a management API's role, in one tenant. */
export type PrivilegedRole = Pick<AppRoleAssignment, 'tenantId' | 'resourceId' | 'appRoleId'>

/** A client that has authenticated in a tenant. */
type TenantClient = { readonly tenantId: string; readonly applicationId: string }

/**
 * The management roles that a client owns: the roles of its application where it is enabled. A token does
 * not name the credential for which it was issued. In the application's tenant, each credential stands for
 * all tenants. In another tenant it may be valid only there, so only the roles there count.
 */
export function ownedRoles(
  directory: Directory,
  { applicationId, tenantId }: TenantClient,
): PrivilegedRole[] {
  const isHome = directory.applicationByAppId(applicationId)?.tenantId === tenantId
  return [...directory.servicePrincipalsOfApplication(applicationId)]
    .filter((one) => isHome || one.tenantId === tenantId)
    .filter((one) => isActive(one) && directory.tenant(one.tenantId)?.isEnabled)
    .flatMap(privilegedRolesIn(directory))
}

/**
 * The management roles of an application in all tenants, even where it is disabled or deleted. The
 * credentials of a blueprint lead to the roles of its agents.
 */
export const rolesEverywhere = (directory: Directory, appId: string): PrivilegedRole[] =>
  [...directory.servicePrincipalsOfApplication(appId), ...directory.agentsOf(appId)].flatMap(
    privilegedRolesIn(directory),
  )

export const privilegedRolesIn = (directory: Directory) => (client: ServicePrincipal) =>
  directory.assignmentsOf(client.id).filter(isPrivileged(directory))

/** The management roles of a client, and of the agents that depend on it in its tenant. */
export const dependentRolesIn = (directory: Directory) => (client: ServicePrincipal) =>
  [client, ...directory.agentsOf(client.appId)]
    .filter(({ tenantId }) => tenantId === client.tenantId)
    .flatMap(privilegedRolesIn(directory))

/** True for a management API's role, even if it is no longer declared, because it may be declared again. */
export const isPrivileged =
  (directory: Directory) =>
  ({ appRoleId, resourceId }: AppRoleAssignment): boolean =>
    appRoleId !== emptyGuid &&
    privilegedApiAppIds.includes(directory.servicePrincipal(resourceId)?.appId ?? '')

export const isActive = (principal: ServicePrincipal | undefined): boolean =>
  principal?.accountEnabled === true && principal.deletedDateTime === null

/** The first role that a client needs and does not own. */
export function missingRole(
  owned: readonly PrivilegedRole[],
  needed: readonly PrivilegedRole[],
): PrivilegedRole | undefined {
  const own = new Set(owned.map(keyOf))
  return needed.find((one) => !own.has(keyOf(one)))
}

const keyOf = ({ tenantId, resourceId, appRoleId }: PrivilegedRole): string =>
  `${tenantId} ${resourceId} ${appRoleId}`
