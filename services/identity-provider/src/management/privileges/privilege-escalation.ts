// Folder: Who may call an operation, and which changes need roles of the caller's own.

import { isDeepStrictEqual } from 'node:util'
import {
  type Application,
  azureApi,
  builtInApiAppIds,
  type Directory,
  type DirectoryChange,
  type DirectoryKind,
  dependentRolesIn,
  isActive,
  isPrivileged,
  missingRole,
  ownedRoles,
  type PrivilegedRole,
  rolesEverywhere,
  type ServicePrincipal,
} from '@greeting/directory'
import type { RepeatableRuntime } from '@greeting/directory/live'
import { refuse } from '../refusals/graph-error.ts'
import type { ManagementCaller } from './caller.ts'
import type { ServerRole } from './server-roles.ts'

/** The caller of a change, and the complete directory before it. */
type CheckedCall = {
  readonly caller: ManagementCaller
  readonly committed: Directory
  readonly provenBy?: string | undefined
  readonly runtime?: Pick<RepeatableRuntime, 'hasMade'>
}
type BeforeChange = Pick<CheckedCall, 'committed' | 'runtime'>
type ChangeOf<Kind extends DirectoryKind> = Extract<DirectoryChange, { readonly kind: Kind }>
type Rule<Change> = (call: CheckedCall, change: Change) => readonly PrivilegedRole[]

/**
 * Requires that the caller itself has the management roles that a change affects: the roles of a changed
 * client, and the roles that are assigned. Otherwise `Application.ReadWrite.All` would lead to every role.
 *
 * @throws {GraphError} graph_refusal role_not_owned.
 */
export function requireOwnRoles(call: CheckedCall, changes: readonly DirectoryChange[]): void {
  const owned = ownedRoles(call.committed, call.caller)
  for (const change of changes) {
    const rule = neededRoles[change.kind] as Rule<DirectoryChange>
    const missing = missingRole(owned, rule(call, change))
    if (missing !== undefined) throw refuse('role_not_owned', roleName(call.committed, missing))
  }
}

/** The roles that the caller needs for a change, for each kind of object. */
const neededRoles: { readonly [Kind in DirectoryKind]: Rule<ChangeOf<Kind>> } = {
  tenant: () => [],

  // A credential authenticates the client in every tenant. Other changes need the roles of the owner's
  // tenant only. Otherwise another tenant could assign a role, and the owner could not delete the
  // application.
  application: (call, { id, value }) => {
    const { caller, committed } = call
    const before = applicationBefore(call, id)
    if (before === undefined) return []
    if (value !== null && givesAuthority(before, value)) return neededEverywhere(call, before)
    // A blueprint removes its own certificate without the roles of its agents.
    if (call.provenBy !== undefined && before.appId === caller.applicationId) return []
    return [...committed.servicePrincipalsOfApplication(before.appId)]
      .filter(({ tenantId }) => tenantId === caller.tenantId)
      .flatMap(dependentRolesIn(committed))
  },

  // A credential of a service principal is good in its tenant only. In the tenant of the application it
  // leads to the others: the application can add credentials to itself there.
  servicePrincipal: (call, { id, value }) => {
    const { caller, committed } = call
    const before = principalBefore(call, id)
    const application = value === null ? undefined : committed.applicationByAppId(value.appId)
    if (value !== null && application?.tenantId === value.tenantId) {
      if (opensPrincipal(before, value)) return neededEverywhere(call, application)
    }
    return before?.tenantId === caller.tenantId ? dependentRolesIn(committed)(before) : []
  },

  appRoleAssignment: ({ caller, committed }, { id, value }) => {
    const assignment = value ?? committed.appRoleAssignment(id)
    if (assignment === undefined || !isPrivileged(committed)(assignment)) return []
    if (assignment.tenantId === caller.tenantId) return [assignment]
    // In other tenants, only a purge removes assignments, and only a new administrator gets some.
    return value === null || caller.roles.includes(writesTenants) ? [] : [assignment]
  },
}

// An object that this call creates is not looked up.
const applicationBefore = ({ committed, runtime }: BeforeChange, id: string) =>
  runtime?.hasMade(id) ? undefined : committed.application(id)
const principalBefore = ({ committed, runtime }: BeforeChange, id: string) =>
  runtime?.hasMade(id) ? undefined : committed.servicePrincipal(id)

const writesTenants: ServerRole = 'Tenant.ReadWrite.All'

/** The management roles of an application in all tenants. The application itself needs none of them. */
const neededEverywhere = (
  { caller, committed }: CheckedCall,
  { appId }: Application,
): readonly PrivilegedRole[] =>
  appId === caller.applicationId ? [] : rolesEverywhere(committed, appId)

/** Whether a change adds a way to authenticate as the application, or roles of its agents in all tenants. */
const givesAuthority = (before: Application, after: Application): boolean =>
  hasNewCredential(before, after) ||
  (before.isFallbackPublicClient && !after.isFallbackPublicClient) ||
  (!before.passwordAuthenticationAllowed && after.passwordAuthenticationAllowed) ||
  (before.deletedDateTime !== null && after.deletedDateTime === null) ||
  (after.blueprint?.inheritablePermissions ?? []).some(
    (one) => !before.blueprint?.inheritablePermissions.includes(one),
  )

/** Whether a change adds credentials of a service principal, or makes those that it has valid again. */
const opensPrincipal = (before: ServicePrincipal | undefined, after: ServicePrincipal): boolean =>
  hasNewCredential(before, after) ||
  (isActive(after) && !isActive(before) && credentialsOf(after).length > 0)

type Holder = Application | ServicePrincipal

function hasNewCredential(before: Holder | undefined, after: Holder): boolean {
  const known = new Set<object>(before === undefined ? [] : credentialsOf(before))
  return credentialsOf(after).some((credential) => !known.has(credential))
}

const credentialsOf = (holder: Holder): readonly object[] => [
  ...holder.passwordCredentials,
  ...holder.keyCredentials,
  ...('federatedIdentityCredentials' in holder ? holder.federatedIdentityCredentials : []),
]

function roleName(directory: Directory, { appRoleId, resourceId }: PrivilegedRole): string {
  const appId = directory.servicePrincipal(resourceId)?.appId ?? ''
  const roles = directory.applicationByAppId(appId)?.appRoles ?? []
  return roles.find(({ id }) => id === appRoleId)?.value ?? appRoleId
}

/**
 * Refuses changes to the management APIs. A caller that could change their applications could
 * change the meaning of every management role. Their service principals are created together with a
 * tenant. Only properties without effect may change.
 *
 * @throws {GraphError} graph_refusal protected_object.
 */
export function requireUnprotected(call: BeforeChange, changes: readonly DirectoryChange[]): void {
  const newTenantIds = new Set(
    changes
      .filter(({ kind, id }) => kind === 'tenant' && call.committed.tenant(id) === undefined)
      .map(({ id }) => id),
  )
  for (const change of changes) {
    const isCreatedWithTenant =
      change.kind === 'servicePrincipal' && newTenantIds.has(change.value?.tenantId ?? '')
    if (isCreatedWithTenant || keepsAuthority(call, change)) continue
    const appIds = appIdsOf(call, change)
    if (appIds.some((appId) => builtInApiAppIds.includes(appId) || azureApi(appId)))
      throw refuse('protected_object')
  }
}

/**
 * Whether an object stays as it is, apart from what a service principal keeps and shows only (entra E342), and
 * from its policies, which have no effect on these APIs (entra E358).
 */
function keepsAuthority(call: BeforeChange, { kind, id, value }: DirectoryChange): boolean {
  if (kind === 'application') return isDeepStrictEqual(applicationBefore(call, id), value)
  if (kind !== 'servicePrincipal' || value === null) return false
  const { inertProperties, policyIds } = value
  return isDeepStrictEqual({ ...principalBefore(call, id), inertProperties, policyIds }, value)
}

/** The application IDs of a changed object, before and after the change. */
function appIdsOf(call: BeforeChange, { kind, id, value }: DirectoryChange): string[] {
  if (kind === 'application')
    return [applicationBefore(call, id), value].flatMap((one) => one?.appId ?? [])
  if (kind === 'servicePrincipal')
    return [principalBefore(call, id), value].flatMap((one) => one?.appId ?? [])
  return []
}
