// Folder: The rules for roles are pure: no network, no store, no private keys.

import type { Application } from './application/application.ts'
import type { DirectoryKind } from './directory-change.ts'
import { isGuid } from './guid.ts'
import type { AppRoleAssignment } from './service-principal/app-role-assignment.ts'
import type { ServicePrincipal } from './service-principal/service-principal.ts'
import type { Tenant } from './tenant.ts'

/**
 * All registrations as of one revision. Every lookup is synchronous and has an index.
 *
 * A lookup may throw `NotLoaded`. The directory store then loads the answer, and calls the function
 * that made the lookup again. So code that catches errors must let `NotLoaded` pass.
 * Unless a lookup says otherwise, it finds soft-deleted objects too.
 */
export interface Directory {
  /** The highest number of a commit in this state; 0 is the empty directory. */
  readonly revision: number

  /** The tenant with this ID or verified domain, in any case. */
  tenant(idOrDomain: string): Tenant | undefined
  /** All tenants: possibly very many, so only a list of them asks. */
  tenants(): Iterable<Tenant>

  /** An application by object ID. */
  application(id: string): Application | undefined
  /** The application with this application ID, unless it is soft-deleted. */
  applicationByAppId(appId: string): Application | undefined
  /** The application of a tenant with a unique name, in the exact case. */
  applicationByUniqueName(tenantId: string, uniqueName: string): Application | undefined
  /** The applications with an identifier URI, in any case, in all tenants. */
  applicationsByIdentifierUri(uri: string): readonly Application[]

  /** A service principal by object ID. */
  servicePrincipal(id: string): ServicePrincipal | undefined
  /** The service principal of an application in a tenant, unless it is soft-deleted. */
  servicePrincipalByAppId(tenantId: string, appId: string): ServicePrincipal | undefined
  /** The API with an application ID or identifier URI, in any case, in a tenant, unless it is soft-deleted. */
  servicePrincipalByName(tenantId: string, name: string): ServicePrincipal | undefined
  /** The service principals of an application in all tenants. */
  servicePrincipalsOfApplication(appId: string): readonly ServicePrincipal[]
  /** The agent identities of a blueprint in all tenants, by its application ID. */
  agentsOf(blueprintAppId: string): readonly ServicePrincipal[]

  appRoleAssignment(id: string): AppRoleAssignment | undefined
  /** The assignments of roles to a principal. */
  assignmentsOf(principalId: string): readonly AppRoleAssignment[]
  /** The assignments of one role of a resource. */
  assignmentsOfRole(resourceId: string, appRoleId: string): readonly AppRoleAssignment[]
  /** The assignments of all roles of a resource: possibly very many, so only a purge asks. */
  assignmentsTo(resourceId: string): readonly AppRoleAssignment[]

  /** The mark of the commit in which an object last changed; undefined when it does not exist. */
  markOf(kind: DirectoryKind, id: string): string | undefined
}

/** Finds an API of a tenant by one of its names, with the other lookups of the directory. */
export function findPrincipalByName(
  directory: Directory,
  tenantId: string,
  name: string,
): ServicePrincipal | undefined {
  const byAppId = isGuid(name) ? directory.servicePrincipalByAppId(tenantId, name) : undefined
  if (byAppId !== undefined) return byAppId
  const named = directory
    .applicationsByIdentifierUri(name)
    .filter(({ deletedDateTime }) => deletedDateTime === null)
  const exact = named.filter(({ identifierUris }) => identifierUris.includes(name))
  for (const { appId } of [...exact, ...named]) {
    const principal = directory.servicePrincipalByAppId(tenantId, appId)
    if (principal !== undefined) return principal
  }
  return undefined
}
