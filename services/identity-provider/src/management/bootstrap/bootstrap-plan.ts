import { isDeepStrictEqual } from 'node:util'
import type { Application } from '../../directory/application.ts'
import type { Directory } from '../../directory/directory.ts'
import { type DirectoryChange, put } from '../../directory/directory-change.ts'
import { newServicePrincipal } from '../../directory/new-service-principal.ts'
import { graphAppId, serverManagementAppId } from '../../directory/privileged-api-ids.ts'
import type { Runtime } from '../../directory/runtime.ts'
import type { Tenant } from '../../directory/tenant.ts'
import { privilegedApis } from '../privileged-apis.ts'
import { type Administrator, createAdministrator } from './administrator.ts'
import { hasAdministrator } from './has-administrator.ts'

/** What a directory lacks of what every directory has, and the administrator if one had to be made. */
export type BootstrapPlan = {
  readonly changes: readonly DirectoryChange[]
  readonly tenantId: string
  readonly administrator: Administrator | undefined
}

/** The tenant to begin with, for a directory that has none. */
export type FirstTenant = Pick<Tenant, 'id' | 'displayName' | 'domains'>

export type BootstrapPlanOptions = {
  readonly firstTenant: FirstTenant
  /** Makes an administrator even if there is one; default false. */
  readonly anotherAdministrator?: boolean
}

/**
 * Decides what must be added so that a directory can be managed over its API: a tenant, the
 * management APIs, their service principals, and somebody who may call them. Nothing is added twice;
 * when nobody can administer the directory any more, a new administrator is made.
 */
export function planBootstrap(
  directory: Directory,
  { firstTenant, anotherAdministrator = false }: BootstrapPlanOptions,
  runtime: Runtime,
): BootstrapPlan {
  const now = runtime.now()
  const known = [...directory.tenants()]
  const created: Tenant = { ...firstTenant, isEnabled: true, createdDateTime: now }
  const tenants = known.length === 0 ? [created] : known
  const home = homeOf(directory, tenants)
  const applications = privilegedApis(now)
  const places = applications.flatMap((application) =>
    tenants
      .filter(({ id }) => application.appId === graphAppId || id === home.id)
      .map(({ id }) => placeOf(directory, id, application, runtime)),
  )
  const isEnough = hasAdministrator(directory, home.id, now) && !anotherAdministrator
  const made = isEnough
    ? undefined
    : createAdministrator(
        home.id,
        places.filter(({ principal }) => principal.tenantId === home.id),
        runtime,
      )
  return {
    tenantId: home.id,
    administrator: made?.administrator,
    changes: [
      ...(known.length === 0 ? [put('tenant', created)] : []),
      ...applications
        .filter((application) => !isDeclared(directory, application))
        .map((application) => put('application', application)),
      ...places
        .filter(({ isNew }) => isNew)
        .map(({ principal }) => put('servicePrincipal', principal)),
      ...(made?.changes ?? []),
    ],
  }
}

/** The tenant that administers the server: the one that does already, else the one that came first. */
function homeOf(directory: Directory, tenants: readonly Tenant[]): Tenant {
  const [first, ...others] = tenants.toSorted(
    (a, b) => a.createdDateTime.getTime() - b.createdDateTime.getTime() || (a.id < b.id ? -1 : 1),
  )
  if (first === undefined) throw new TypeError('A foundation needs a tenant.')
  const present = others.find(({ id }) =>
    directory.servicePrincipalByAppId(id, serverManagementAppId),
  )
  return present ?? first
}

/** Whether the directory knows a management API as this version of the server declares it. */
function isDeclared(directory: Directory, application: Application): boolean {
  const known = directory.application(application.id)
  return isDeepStrictEqual({ ...known, createdDateTime: application.createdDateTime }, application)
}

function placeOf(
  directory: Directory,
  tenantId: string,
  application: Application,
  runtime: Runtime,
) {
  const known = directory.servicePrincipalByAppId(tenantId, application.appId)
  return known === undefined
    ? { application, principal: newServicePrincipal(tenantId, application, runtime), isNew: true }
    : { application, principal: known, isNew: false }
}
