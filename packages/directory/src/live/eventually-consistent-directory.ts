import type { Application } from '../model/application/application.ts'
import { type Directory, findPrincipalByName } from '../model/directory.ts'
import type { DirectoryKind } from '../model/directory-change.ts'
import type { AppRoleAssignment } from '../model/service-principal/app-role-assignment.ts'
import type { ServicePrincipal } from '../model/service-principal/service-principal.ts'
import type { Tenant } from '../model/tenant.ts'

type Created = { readonly createdDateTime: Date }

/**
 * A directory that hides new objects for a while, as a directory with many replicas does. Other objects
 * are visible in their latest state.
 */
export class EventuallyConsistentDirectory implements Directory {
  readonly #directory: Directory
  readonly #until: Date

  /** @param until objects that were created after this time are hidden */
  constructor(directory: Directory, until: Date) {
    this.#directory = directory
    this.#until = until
  }

  get revision(): number {
    return this.#directory.revision
  }

  tenant(idOrDomain: string): Tenant | undefined {
    return this.#directory.tenant(idOrDomain)
  }

  tenants(): Iterable<Tenant> {
    return this.#directory.tenants()
  }

  application(id: string): Application | undefined {
    return this.#seen(this.#directory.application(id))
  }

  applicationByAppId(appId: string): Application | undefined {
    return this.#seen(this.#directory.applicationByAppId(appId))
  }

  applicationByUniqueName(tenantId: string, uniqueName: string): Application | undefined {
    return this.#seen(this.#directory.applicationByUniqueName(tenantId, uniqueName))
  }

  applicationsByIdentifierUri(uri: string): Application[] {
    return this.#allSeen(this.#directory.applicationsByIdentifierUri(uri))
  }

  servicePrincipal(id: string): ServicePrincipal | undefined {
    return this.#seen(this.#directory.servicePrincipal(id))
  }

  servicePrincipalByAppId(tenantId: string, appId: string): ServicePrincipal | undefined {
    return this.#seen(this.#directory.servicePrincipalByAppId(tenantId, appId))
  }

  servicePrincipalByName(tenantId: string, name: string): ServicePrincipal | undefined {
    return findPrincipalByName(this, tenantId, name)
  }

  servicePrincipalsOfApplication(appId: string): ServicePrincipal[] {
    return this.#allSeen(this.#directory.servicePrincipalsOfApplication(appId))
  }

  agentsOf(blueprintAppId: string): ServicePrincipal[] {
    return this.#allSeen(this.#directory.agentsOf(blueprintAppId))
  }

  appRoleAssignment(id: string): AppRoleAssignment | undefined {
    return this.#seen(this.#directory.appRoleAssignment(id))
  }

  assignmentsOf(principalId: string): readonly AppRoleAssignment[] {
    return this.#allSeen(this.#directory.assignmentsOf(principalId))
  }

  assignmentsOfRole(resourceId: string, appRoleId: string): readonly AppRoleAssignment[] {
    return this.#allSeen(this.#directory.assignmentsOfRole(resourceId, appRoleId))
  }

  assignmentsTo(resourceId: string): readonly AppRoleAssignment[] {
    return this.#allSeen(this.#directory.assignmentsTo(resourceId))
  }

  markOf(kind: DirectoryKind, id: string): string | undefined {
    return this.#directory.markOf(kind, id)
  }

  #seen<One extends Created>(one: One | undefined): One | undefined {
    return one !== undefined && one.createdDateTime <= this.#until ? one : undefined
  }

  #allSeen<One extends Created>(all: Iterable<One>): One[] {
    return [...all].filter((one) => this.#seen(one) !== undefined)
  }
}
