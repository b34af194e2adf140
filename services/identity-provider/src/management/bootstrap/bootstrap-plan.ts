import { isDeepStrictEqual } from 'node:util'
import {
  type Application,
  type Directory,
  type DirectoryChange,
  graphAppId,
  newServicePrincipal,
  newTenant,
  put,
  type Runtime,
  type ServicePrincipal,
  serverManagementAppId,
  type Tenant,
} from '@greeting/directory'
import type { TenantSurvey } from '@greeting/directory/live'
import { builtInApis } from '../privileges/built-in-apis.ts'
import { graphRoles } from '../privileges/graph-roles.ts'
import { type Administrator, createAdministrator } from './administrator.ts'

/** The changes that a directory needs, and the administrator if one is created. */
export type BootstrapPlan = {
  readonly changes: readonly DirectoryChange[]
  readonly tenantId: string
  readonly administrator: Administrator | undefined
}

/** The tenant to create in a directory without tenants. */
type FirstTenant = Pick<Tenant, 'id' | 'displayName' | 'domains'>

export type BootstrapPlanOptions = {
  /** The tenant to create when the directory has none. */
  readonly firstTenant: FirstTenant
  /** The tenants, as of the revision of the directory. */
  readonly survey: TenantSurvey
  /** Creates an administrator even if there is one, for an operator who has lost the secret; default false. */
  readonly anotherAdministrator?: boolean
  /** The time at which an administrator must be able to authenticate; default now. */
  readonly latestAgreed?: Date
}

/**
 * Decides which records to add before a directory can be managed through its APIs: a tenant, the
 * management APIs, their service principals, and an administrator. Existing records stay. A new
 * administrator is created if no client can administer the directory.
 */
export function planBootstrap(
  directory: Directory,
  options: BootstrapPlanOptions,
  runtime: Runtime,
): BootstrapPlan {
  const now = runtime.now()
  const { firstTenant, survey, anotherAdministrator = false, latestAgreed = now } = options
  const first = newTenant({ ...firstTenant, createdDateTime: now })
  const home = administrationTenant(directory, survey.oldest ?? first)
  const applications = builtInApis(now)
  const apis = applications.map((application) =>
    apiInTenant(
      directory.servicePrincipalByAppId(home.id, application.appId),
      home.id,
      application,
      runtime,
    ),
  )
  const elsewhere = survey.lacking.flatMap(({ appId, tenantId }) =>
    applications
      .filter((application) => application.appId === appId && tenantId !== home.id)
      .map((application) => newServicePrincipal(tenantId, application, runtime)),
  )
  const isAdministered = hasAdministrator(directory, home.id, latestAgreed) && !anotherAdministrator
  const created = isAdministered ? undefined : createAdministrator(home.id, apis, runtime)
  return {
    tenantId: home.id,
    administrator: created?.administrator,
    changes: [
      ...(survey.oldest === undefined ? [put('tenant', first)] : []),
      ...applications
        .filter((application) => !isDeclared(directory, application))
        .map((application) => put('application', application)),
      ...apis
        .filter(({ isNew }) => isNew)
        .map(({ principal }) => put('servicePrincipal', principal)),
      ...elsewhere.map((principal) => put('servicePrincipal', principal)),
      ...(created?.changes ?? []),
    ],
  }
}

/** The tenant that administers the server: the one with its API, else the oldest. */
function administrationTenant(directory: Directory, oldest: Tenant): Tenant {
  const [present] = directory
    .servicePrincipalsOfApplication(serverManagementAppId)
    .filter(({ deletedDateTime, tenantId }) => deletedDateTime === null && tenantId !== oldest.id)
    .flatMap(({ tenantId }) => directory.tenant(tenantId) ?? [])
    .toSorted(
      (a, b) => a.createdDateTime.getTime() - b.createdDateTime.getTime() || (a.id < b.id ? -1 : 1),
    )
  return present ?? oldest
}

/** Whether the directory has a management API in the form of this version of the server. */
function isDeclared(directory: Directory, application: Application): boolean {
  const known = directory.application(application.id)
  return isDeepStrictEqual({ ...known, createdDateTime: application.createdDateTime }, application)
}

function apiInTenant(
  known: ServicePrincipal | undefined,
  tenantId: string,
  application: Application,
  runtime: Runtime,
) {
  return known === undefined
    ? { application, principal: newServicePrincipal(tenantId, application, runtime), isNew: true }
    : { application, principal: known, isNew: false }
}

const firstRoleId = graphRoles['AppRoleAssignment.ReadWrite.All'].id
const otherRoleIds = [graphRoles['Application.ReadWrite.All'].id]

/** Whether a client of a tenant can get a token with the roles to manage the whole tenant. */
function hasAdministrator(directory: Directory, tenantId: string, now: Date): boolean {
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
