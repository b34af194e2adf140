import type { AppRoleAssignment } from '../directory/app-role-assignment.ts'
import type { Application } from '../directory/application.ts'
import type { Directory } from '../directory/directory.ts'
import type { DirectoryChange, DirectoryKind } from '../directory/directory-change.ts'
import { emptyGuid } from '../directory/guid.ts'
import { privilegedApiAppIds } from '../directory/privileged-api-ids.ts'
import type { ServicePrincipal } from '../directory/service-principal.ts'
import { refuse } from './http/graph-error.ts'
import type { ChangingCall } from './http/operation.ts'
import type { ServerRole } from './server/server-roles.ts'

/** An assignment of a role of a management API, in one tenant. */
type PrivilegedRole = Pick<AppRoleAssignment, 'tenantId' | 'resourceId' | 'appRoleId'>

type CheckedCall = Pick<ChangingCall, 'caller' | 'committed'>
type ChangeOf<Kind extends DirectoryKind> = Extract<DirectoryChange, { readonly kind: Kind }>
type Rule<Change> = (call: CheckedCall, change: Change) => readonly PrivilegedRole[]

/**
 * Requires that the caller itself has the management roles that a change affects: those of a changed
 * client, and those that are assigned. Otherwise `Application.ReadWrite.All` would lead to every role.
 *
 * @throws {GraphError} graph_refusal role_not_owned.
 */
export function requireOwnRoles(call: CheckedCall, changes: readonly DirectoryChange[]): void {
  const own = new Set(privilegedRolesOf(call).map(keyOf))
  for (const change of changes) {
    const rule = neededRoles[change.kind] as Rule<DirectoryChange>
    for (const needed of rule(call, change)) {
      if (!own.has(keyOf(needed))) throw refuse('role_not_owned', roleName(call.committed, needed))
    }
  }
}

/** The roles that the caller needs for a change, for each kind of object. */
const neededRoles: { readonly [Kind in DirectoryKind]: Rule<ChangeOf<Kind>> } = {
  tenant: () => [],

  // A credential authenticates the client in every tenant. Other changes need the roles of the owner's
  // tenant only. Otherwise another tenant could assign a role, and the owner could not delete the
  // application.
  application: ({ caller, committed }, { id, value }) => {
    const before = committed.application(id)
    if (before === undefined) return []
    const clients = [...committed.servicePrincipalsOfApplication(before.appId)]
    if (value !== null && addsAuthentication(before, value)) {
      return before.appId === caller.applicationId
        ? []
        : clients.flatMap(privilegedRolesIn(committed))
    }
    return clients
      .filter(({ tenantId }) => tenantId === caller.tenantId)
      .flatMap(privilegedRolesIn(committed))
  },

  servicePrincipal: ({ caller, committed }, { id }) => {
    const before = committed.servicePrincipal(id)
    return before?.tenantId === caller.tenantId ? privilegedRolesIn(committed)(before) : []
  },

  appRoleAssignment: ({ caller, committed }, { id, value }) => {
    const assignment = value ?? committed.appRoleAssignment(id)
    if (assignment === undefined || !isPrivileged(committed)(assignment)) return []
    if (assignment.tenantId === caller.tenantId) return [assignment]
    // In other tenants, only a purge removes assignments, and only a new administrator gets some.
    return value === null || caller.roles.includes(writesTenants) ? [] : [assignment]
  },
}

const writesTenants: ServerRole = 'Tenant.ReadWrite.All'

/** Whether a change adds a way to authenticate as the application. */
function addsAuthentication(before: Application, after: Application): boolean {
  const known = new Set<object>(credentialsOf(before))
  return (
    credentialsOf(after).some((credential) => !known.has(credential)) ||
    (before.isFallbackPublicClient && !after.isFallbackPublicClient) ||
    (!before.passwordAuthenticationAllowed && after.passwordAuthenticationAllowed) ||
    (before.deletedDateTime !== null && after.deletedDateTime === null)
  )
}

const credentialsOf = (application: Application): readonly object[] => [
  ...application.passwordCredentials,
  ...application.keyCredentials,
  ...application.federatedIdentityCredentials,
]

/** The management roles of the caller's application, in each tenant where it is enabled. */
const privilegedRolesOf = ({ caller, committed }: CheckedCall): PrivilegedRole[] =>
  [...committed.servicePrincipalsOfApplication(caller.applicationId)]
    .filter(
      ({ accountEnabled, deletedDateTime, tenantId }) =>
        accountEnabled && deletedDateTime === null && committed.tenant(tenantId)?.isEnabled,
    )
    .flatMap(privilegedRolesIn(committed))

const privilegedRolesIn = (directory: Directory) => (client: ServicePrincipal) =>
  directory.assignmentsOf(client.id).filter(isPrivileged(directory))

/** A role that is no longer declared counts too, because it may be declared again. */
const isPrivileged =
  (directory: Directory) =>
  ({ appRoleId, resourceId }: AppRoleAssignment): boolean =>
    appRoleId !== emptyGuid &&
    privilegedApiAppIds.includes(directory.servicePrincipal(resourceId)?.appId ?? '')

const keyOf = ({ tenantId, resourceId, appRoleId }: PrivilegedRole): string =>
  `${tenantId} ${resourceId} ${appRoleId}`

function roleName(directory: Directory, { appRoleId, resourceId }: PrivilegedRole): string {
  const appId = directory.servicePrincipal(resourceId)?.appId ?? ''
  const roles = directory.applicationByAppId(appId)?.appRoles ?? []
  return roles.find(({ id }) => id === appRoleId)?.value ?? appRoleId
}
