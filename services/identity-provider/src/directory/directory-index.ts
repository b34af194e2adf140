import type { AppRoleAssignment } from './app-role-assignment.ts'
import type { Application } from './application.ts'
import type { Directory } from './directory.ts'
import type {
  CommittedChange,
  DirectoryChange,
  DirectoryKind,
  DirectoryObjects,
} from './directory-change.ts'
import { MultiIndex } from './multi-index.ts'
import type { ServicePrincipal } from './service-principal.ts'
import type { Tenant } from './tenant.ts'

type Table<Kind extends DirectoryKind> = Map<string, DirectoryObjects[Kind]>

const nameIn = (tenantId: string, appId: string) => `${tenantId} ${appId.toLowerCase()}`

/**
 * A directory that follows a sequence of committed changes.
 *
 * Changes are applied whole, within one turn of the event loop, so nobody sees half of one. Who
 * keeps a reference across an `await` may find a later revision behind it.
 *
 * @example
 * const directory = new DirectoryIndex()
 * directory.apply(1, [{ ...put('tenant', tenant), revision: 1 }])
 * directory.tenant('Contoso.example')?.displayName // 'Contoso'
 */
export class DirectoryIndex implements Directory {
  revision = 0

  readonly #tables: { [Kind in DirectoryKind]: Table<Kind> } = {
    tenant: new Map(),
    application: new Map(),
    servicePrincipal: new Map(),
    appRoleAssignment: new Map(),
  }
  readonly #revisions = new Map<string, number>()
  readonly #tenantByDomain = new MultiIndex<Tenant>((tenant) => tenant.domains)
  readonly #applicationByAppId = new MultiIndex<Application>(live(({ appId }) => [appId]))
  readonly #applicationByUri = new MultiIndex<Application>(live((api) => api.identifierUris))
  readonly #applicationByTenant = new MultiIndex<Application>(({ tenantId }) => [tenantId])
  readonly #principalByAppId = new MultiIndex<ServicePrincipal>(
    live(({ tenantId, appId }) => [nameIn(tenantId, appId)]),
  )
  readonly #principalByApplication = new MultiIndex<ServicePrincipal>(({ appId }) => [appId])
  readonly #principalByTenant = new MultiIndex<ServicePrincipal>(({ tenantId }) => [tenantId])
  readonly #assignmentByPrincipal = new MultiIndex<AppRoleAssignment>((one) => [one.principalId])
  readonly #assignmentByResource = new MultiIndex<AppRoleAssignment>((one) => [one.resourceId])

  readonly #groupings: { [Kind in DirectoryKind]: MultiIndex<DirectoryObjects[Kind]>[] } = {
    tenant: [this.#tenantByDomain],
    application: [this.#applicationByAppId, this.#applicationByUri, this.#applicationByTenant],
    servicePrincipal: [
      this.#principalByAppId,
      this.#principalByApplication,
      this.#principalByTenant,
    ],
    appRoleAssignment: [this.#assignmentByPrincipal, this.#assignmentByResource],
  }

  /** Brings this directory to a later revision by the changes that lead there. */
  apply(revision: number, changes: Iterable<CommittedChange>): void {
    for (const change of changes) {
      const key = `${change.kind} ${change.id}`
      if (change.value === null) this.#revisions.delete(key)
      else this.#revisions.set(key, change.revision)
      this.#replace(change.kind, change)
    }
    this.revision = revision
  }

  #replace<Kind extends DirectoryKind>(kind: Kind, { id, value }: DirectoryChange): void {
    const table = this.#tables[kind]
    const before = table.get(id)
    const after = value as DirectoryObjects[Kind] | null
    if (after === null) table.delete(id)
    else table.set(id, after)
    for (const grouping of this.#groupings[kind]) grouping.replace(before, after ?? undefined)
  }

  tenant(idOrDomain: string): Tenant | undefined {
    const name = idOrDomain.toLowerCase()
    return this.#tables.tenant.get(name) ?? this.#tenantByDomain.first(name)
  }

  tenants(): Iterable<Tenant> {
    return this.#tables.tenant.values()
  }

  application(id: string): Application | undefined {
    return this.#tables.application.get(id.toLowerCase())
  }

  applicationByAppId(appId: string): Application | undefined {
    return this.#applicationByAppId.first(appId.toLowerCase())
  }

  applicationsOf(tenantId: string): Iterable<Application> {
    return this.#applicationByTenant.all(tenantId)
  }

  servicePrincipal(id: string): ServicePrincipal | undefined {
    return this.#tables.servicePrincipal.get(id.toLowerCase())
  }

  servicePrincipalByAppId(tenantId: string, appId: string): ServicePrincipal | undefined {
    return this.#principalByAppId.first(nameIn(tenantId, appId))
  }

  servicePrincipalByName(tenantId: string, name: string): ServicePrincipal | undefined {
    const byAppId = this.servicePrincipalByAppId(tenantId, name)
    if (byAppId !== undefined) return byAppId
    for (const { appId } of this.#applicationByUri.all(name)) {
      const principal = this.servicePrincipalByAppId(tenantId, appId)
      if (principal !== undefined) return principal
    }
    return undefined
  }

  servicePrincipalsOfApplication(appId: string): Iterable<ServicePrincipal> {
    return this.#principalByApplication.all(appId.toLowerCase())
  }

  servicePrincipalsOf(tenantId: string): Iterable<ServicePrincipal> {
    return this.#principalByTenant.all(tenantId)
  }

  appRoleAssignment(id: string): AppRoleAssignment | undefined {
    return this.#tables.appRoleAssignment.get(id)
  }

  assignmentsOf(principalId: string): readonly AppRoleAssignment[] {
    return [...this.#assignmentByPrincipal.all(principalId)]
  }

  assignmentsTo(resourceId: string): readonly AppRoleAssignment[] {
    return [...this.#assignmentByResource.all(resourceId)]
  }

  revisionOf(kind: DirectoryKind, id: string): number | undefined {
    return this.#revisions.get(`${kind} ${id}`)
  }
}

function live<One extends { readonly deletedDateTime: Date | null }>(
  keysOf: (one: One) => readonly string[],
): (one: One) => readonly string[] {
  return (one) => (one.deletedDateTime === null ? keysOf(one) : [])
}
