import { isDeepStrictEqual } from 'node:util'
import type { Application } from '../../directory/application.ts'
import type { Directory } from '../../directory/directory.ts'
import { type DirectoryChange, put } from '../../directory/directory-change.ts'
import { newServicePrincipal } from '../../directory/new-service-principal.ts'
import { serverManagementAppId } from '../../directory/privileged-api-ids.ts'
import type { Runtime } from '../../directory/runtime.ts'
import type { ServicePrincipal } from '../../directory/service-principal.ts'
import type { Tenant } from '../../directory/tenant.ts'
import { apisOfEveryTenant, builtInApis } from '../privileged-apis.ts'
import { type Administrator, createAdministrator } from './administrator.ts'
import { hasAdministrator } from './has-administrator.ts'

/** The changes that a directory needs, and the administrator if one is created. */
export type BootstrapPlan = {
  readonly changes: readonly DirectoryChange[]
  readonly tenantId: string
  readonly administrator: Administrator | undefined
}

/** The tenant to create in a directory without tenants. */
export type FirstTenant = Pick<Tenant, 'id' | 'displayName' | 'domains'>

export type BootstrapPlanOptions = {
  /** The tenant to create when the directory has none. */
  readonly firstTenant: FirstTenant
  /** Creates an administrator even if there is one, for an operator who has lost the secret; default false. */
  readonly anotherAdministrator?: boolean
  /** The time at which an administrator must be able to authenticate; default now. */
  readonly latestAgreed?: Date
}

/**
 * Decides the records to add before a directory can be managed over its APIs: a tenant, the
 * management APIs, their service principals, and an administrator. Existing records stay. A new
 * administrator is created when no client can administer the directory.
 */
export function planBootstrap(
  directory: Directory,
  options: BootstrapPlanOptions,
  runtime: Runtime,
): BootstrapPlan {
  const now = runtime.now()
  const { firstTenant, anotherAdministrator = false, latestAgreed = now } = options
  const known = [...directory.tenants()]
  const newTenant: Tenant = { ...firstTenant, isEnabled: true, createdDateTime: now }
  const tenants = known.length === 0 ? [newTenant] : known
  const home = administrationTenant(directory, tenants)
  const applications = builtInApis(now)
  const apis = applications.flatMap((application) => {
    const known = principalsByTenant(directory, application.appId)
    return tenants
      .filter(({ id }) => apisOfEveryTenant.has(application.appId) || id === home.id)
      .map(({ id }) => apiInTenant(known.get(id), id, application, runtime))
  })
  const isAdministered = hasAdministrator(directory, home.id, latestAgreed) && !anotherAdministrator
  const created = isAdministered
    ? undefined
    : createAdministrator(
        home.id,
        apis.filter(({ principal }) => principal.tenantId === home.id),
        runtime,
      )
  return {
    tenantId: home.id,
    administrator: created?.administrator,
    changes: [
      ...(known.length === 0 ? [put('tenant', newTenant)] : []),
      ...applications
        .filter((application) => !isDeclared(directory, application))
        .map((application) => put('application', application)),
      ...apis
        .filter(({ isNew }) => isNew)
        .map(({ principal }) => put('servicePrincipal', principal)),
      ...(created?.changes ?? []),
    ],
  }
}

/** The tenant that administers the server: the one with its API, else the oldest. */
function administrationTenant(directory: Directory, tenants: readonly Tenant[]): Tenant {
  const [first, ...others] = tenants.toSorted(
    (a, b) => a.createdDateTime.getTime() - b.createdDateTime.getTime() || (a.id < b.id ? -1 : 1),
  )
  if (first === undefined) throw new TypeError('A directory must have a tenant')
  const known = principalsByTenant(directory, serverManagementAppId)
  const present = others.find(({ id }) => known.has(id))
  return present ?? first
}

/** Whether the directory has a management API in the form of this version of the server. */
function isDeclared(directory: Directory, application: Application): boolean {
  const known = directory.application(application.id)
  return isDeepStrictEqual({ ...known, createdDateTime: application.createdDateTime }, application)
}

/** One lookup for all tenants: a lookup for each would be a query for each. */
const principalsByTenant = (directory: Directory, appId: string) =>
  new Map(
    directory
      .servicePrincipalsOfApplication(appId)
      .filter(({ deletedDateTime }) => deletedDateTime === null)
      .map((principal) => [principal.tenantId, principal]),
  )

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
