import type { AppRoleAssignment } from './app-role-assignment.ts'
import type { Application } from './application.ts'
import type { DirectoryKind } from './directory-change.ts'
import type { ServicePrincipal } from './service-principal.ts'
import type { Tenant } from './tenant.ts'

/**
 * All registrations as of one revision, in memory, found by what a request names them by.
 *
 * Lookups answer at once and never see half a change. Objects that are soft-deleted are found only
 * by their object id.
 */
export interface Directory {
  /** The revision that this is the state of; 0 is the empty directory. */
  readonly revision: number

  /** The tenant with this id or verified domain, in any case. */
  tenant(idOrDomain: string): Tenant | undefined
  tenants(): Iterable<Tenant>

  /** An application by object id, soft-deleted or not. */
  application(id: string): Application | undefined
  applicationByAppId(appId: string): Application | undefined
  /** Every application that a tenant owns, soft-deleted or not. */
  applicationsOf(tenantId: string): Iterable<Application>

  /** A service principal by object id, soft-deleted or not. */
  servicePrincipal(id: string): ServicePrincipal | undefined
  servicePrincipalByAppId(tenantId: string, appId: string): ServicePrincipal | undefined
  /** The API that a tenant knows by this name: an application id or one of its identifier URIs. */
  servicePrincipalByName(tenantId: string, name: string): ServicePrincipal | undefined
  /** Every service principal of an application, in all tenants, soft-deleted or not. */
  servicePrincipalsOfApplication(appId: string): Iterable<ServicePrincipal>
  /** Every service principal of a tenant, soft-deleted or not. */
  servicePrincipalsOf(tenantId: string): Iterable<ServicePrincipal>

  appRoleAssignment(id: string): AppRoleAssignment | undefined
  /** The roles that a principal was given. */
  assignmentsOf(principalId: string): readonly AppRoleAssignment[]
  /** The principals that were given a role of a resource. */
  assignmentsTo(resourceId: string): readonly AppRoleAssignment[]

  /** The revision in which an object last changed, undefined when there is none. */
  revisionOf(kind: DirectoryKind, id: string): number | undefined
}
