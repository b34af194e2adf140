import type { Application } from '../../src/directory/application/application.ts'
import { caseless } from '../../src/directory/application/identifier-uri-rules.ts'
import { type Directory, findPrincipalByName } from '../../src/directory/directory.ts'
import type {
  CommittedChange,
  DirectoryChange,
  DirectoryKind,
  DirectoryObjects,
} from '../../src/directory/directory-change.ts'
import type { AppRoleAssignment } from '../../src/directory/service-principal/app-role-assignment.ts'
import type { ServicePrincipal } from '../../src/directory/service-principal/service-principal.ts'
import type { Tenant } from '../../src/directory/tenant.ts'
import type { TenantSurvey } from '../../src/directory-store/directory-log.ts'
import { MultiIndex } from './multi-index.ts'

type Table<Kind extends DirectoryKind> = Map<string, DirectoryObjects[Kind]>

const nameIn = (tenantId: string, appId: string) => `${tenantId} ${appId.toLowerCase()}`

/**
 * A complete directory in memory, for tests of pure functions. It follows committed changes.
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
  readonly #applicationByUri = new MultiIndex<Application>((api) => [
    ...new Set(api.identifierUris.map(caseless)),
  ])
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

  /** Every object of one kind with its revision. */
  *objects<Kind extends DirectoryKind>(kind: Kind): Iterable<CommittedChange> {
    for (const [id, value] of this.#tables[kind])
      yield { kind, id, value, revision: this.revisionOf(kind, id) } as CommittedChange
  }

  tenant(idOrDomain: string): Tenant | undefined {
    const name = idOrDomain.toLowerCase()
    return this.#tables.tenant.get(name) ?? this.#tenantByDomain.first(name)
  }

  tenants(): Iterable<Tenant> {
    return this.#tables.tenant.values()
  }

  surveyTenants(appIds: readonly string[], limit = Number.POSITIVE_INFINITY): TenantSurvey {
    const tenants = [...this.tenants()].toSorted(
      (a, b) => Number(a.createdDateTime) - Number(b.createdDateTime) || (a.id < b.id ? -1 : 1),
    )
    const lacking = appIds.flatMap((appId) =>
      tenants
        .filter(({ id }) => this.servicePrincipalByAppId(id, appId) === undefined)
        .map(({ id }) => ({ tenantId: id, appId })),
    )
    return { revision: this.revision, oldest: tenants[0], lacking: lacking.slice(0, limit) }
  }

  application(id: string): Application | undefined {
    return this.#tables.application.get(id.toLowerCase())
  }

  applicationByAppId(appId: string): Application | undefined {
    return this.#applicationByAppId.first(appId.toLowerCase())
  }

  applicationByUniqueName(tenantId: string, uniqueName: string): Application | undefined {
    for (const one of this.applicationsOf(tenantId)) if (one.uniqueName === uniqueName) return one
    return undefined
  }

  applicationsByIdentifierUri(uri: string): Application[] {
    return [...this.#applicationByUri.all(caseless(uri))]
  }

  /** Every application that a tenant owns, soft-deleted or not. */
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
    return findPrincipalByName(this, tenantId, name)
  }

  servicePrincipalsOfApplication(appId: string): ServicePrincipal[] {
    return [...this.#principalByApplication.all(appId.toLowerCase())]
  }

  /** Every service principal of a tenant, soft-deleted or not. */
  servicePrincipalsOf(tenantId: string): Iterable<ServicePrincipal> {
    return this.#principalByTenant.all(tenantId)
  }

  appRoleAssignment(id: string): AppRoleAssignment | undefined {
    return this.#tables.appRoleAssignment.get(id)
  }

  assignmentsOf(principalId: string): readonly AppRoleAssignment[] {
    return [...this.#assignmentByPrincipal.all(principalId)]
  }

  assignmentsOfRole(resourceId: string, appRoleId: string): readonly AppRoleAssignment[] {
    return this.assignmentsTo(resourceId).filter((one) => one.appRoleId === appRoleId)
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
