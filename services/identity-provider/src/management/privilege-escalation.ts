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

/** An assignment of a role of a management API: authority in one tenant. */
type Authority = Pick<AppRoleAssignment, 'tenantId' | 'resourceId' | 'appRoleId'>

type Judged = Pick<ChangingCall, 'caller' | 'committed'>
type ChangeOf<Kind extends DirectoryKind> = Extract<DirectoryChange, { readonly kind: Kind }>
type Rule<Change> = (call: Judged, change: Change) => readonly Authority[]

/**
 * Judges changes of clients that have management roles, and of the assignments of these roles: the
 * caller must have the roles itself. Otherwise managing applications would lead to every other role.
 *
 * @throws {GraphError} GRAPH_REFUSAL roleNotOwned.
 */
export function requireOwnRoles(call: Judged, changes: readonly DirectoryChange[]): void {
  const own = new Set(authorityOfCaller(call).map(keyOf))
  for (const change of changes) {
    const rule = rules[change.kind] as Rule<DirectoryChange>
    for (const needed of rule(call, change))
      if (!own.has(keyOf(needed))) throw refuse('roleNotOwned', roleName(call.committed, needed))
  }
}

/** What authority a change touches, so that the caller must have it. */
const rules: { readonly [Kind in DirectoryKind]: Rule<ChangeOf<Kind>> } = {
  tenant: () => [],

  // A credential acts as the client in every tenant. Other changes need the roles of the owner's
  // tenant only: else another tenant could give a role, and the owner could not delete the application.
  application: ({ caller, committed }, { id, value }) => {
    const before = committed.application(id)
    if (before === undefined) return []
    const clients = [...committed.servicePrincipalsOfApplication(before.appId)]
    if (value !== null && opensWay(before, value))
      return before.appId === caller.applicationId ? [] : clients.flatMap(authorityIn(committed))
    return clients
      .filter(({ tenantId }) => tenantId === caller.tenantId)
      .flatMap(authorityIn(committed))
  },

  servicePrincipal: ({ caller, committed }, { id }) => {
    const before = committed.servicePrincipal(id)
    return before?.tenantId === caller.tenantId ? authorityIn(committed)(before) : []
  },

  appRoleAssignment: ({ caller, committed }, { id, value }) => {
    const assignment = value ?? committed.appRoleAssignment(id)
    if (assignment === undefined || !isAuthority(committed)(assignment)) return []
    if (assignment.tenantId === caller.tenantId) return [assignment]
    // In another tenant, only a purge removes an assignment, and only a new administrator gets one.
    return value === null || caller.roles.includes(writesTenants) ? [] : [assignment]
  },
}

const writesTenants: ServerRole = 'Tenant.ReadWrite.All'

/** Whether somebody can authenticate as the application after a change, and could not before it. */
function opensWay(before: Application, after: Application): boolean {
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

/** What the caller may hand out: the roles of its application, in each tenant where it is alive. */
const authorityOfCaller = ({ caller, committed }: Judged): Authority[] =>
  [...committed.servicePrincipalsOfApplication(caller.applicationId)]
    .filter(
      ({ accountEnabled, deletedDateTime, tenantId }) =>
        accountEnabled && deletedDateTime === null && committed.tenant(tenantId)?.isEnabled,
    )
    .flatMap(authorityIn(committed))

const authorityIn = (directory: Directory) => (client: ServicePrincipal) =>
  directory.assignmentsOf(client.id).filter(isAuthority(directory))

/** A role counts also when it is not declared any more: it may be declared again. */
const isAuthority =
  (directory: Directory) =>
  ({ appRoleId, resourceId }: AppRoleAssignment): boolean =>
    appRoleId !== emptyGuid &&
    privilegedApiAppIds.includes(directory.servicePrincipal(resourceId)?.appId ?? '')

const keyOf = ({ tenantId, resourceId, appRoleId }: Authority): string =>
  `${tenantId} ${resourceId} ${appRoleId}`

function roleName(directory: Directory, { appRoleId, resourceId }: Authority): string {
  const appId = directory.servicePrincipal(resourceId)?.appId ?? ''
  const roles = directory.applicationByAppId(appId)?.appRoles ?? []
  return roles.find(({ id }) => id === appRoleId)?.value ?? appRoleId
}
