// Folder: Loads objects of the directory for lookups, and what changed since a revision.

import type { Kysely } from 'kysely'
import {
  type DirectoryLookup,
  directoryLookups,
  inTenant,
  type LoadedLookup,
  type LookupName,
  lookupId,
} from '../../../live/directory-lookup.ts'
import type { CommittedChange } from '../../../model/directory-change.ts'
import { inParts } from '../rows/list-parameter.ts'
import { objectsOf } from '../rows/object-queries.ts'
import { nameKey } from '../rows/object-rows.ts'
import type { Tables } from '../rows/tables.ts'

/** Related principals that one load reads too. */
const maxRelated = 200

/**
 * Reads the answers to lookups. It also reads the related objects that a token needs: the application
 * of a client, its assignments, and the APIs of these assignments.
 *
 * @param db a snapshot of the directory
 */
export async function loadLookups(
  db: Kysely<Tables>,
  lookups: readonly DirectoryLookup[],
): Promise<LoadedLookup[]> {
  const loading = new Loading(db, lookups)
  // In this order, because the answers of one phase add lookups to a later one.
  await loading.tenants()
  await loading.principalsByAppId()
  await loading.assignmentsByRole()
  const clients = await loading.principalsById()
  await loading.assignmentsOf(clients)
  await loading.principalsById()
  await loading.applications()
  return [...loading.loaded.values()]
}

/** The name in the key of a lookup. The answer has only the object of the right tenant. */
const nameInTenant = (key: string): string => key.slice(key.indexOf(' ') + 1)

/** One load of lookups: the keys that are wanted, and the answers so far. */
class Loading {
  readonly loaded = new Map<string, LoadedLookup>()
  readonly #db: Kysely<Tables>
  readonly #wanted: Record<LookupName, Set<string>>

  constructor(db: Kysely<Tables>, lookups: readonly DirectoryLookup[]) {
    this.#db = db
    const names = Object.keys(directoryLookups) as LookupName[]
    this.#wanted = Object.fromEntries(
      names.map((name) => [name, new Set<string>()]),
    ) as unknown as Record<LookupName, Set<string>>
    for (const { name, key } of lookups) this.#wanted[name].add(key)
  }

  /** By ID or domain, or all. */
  async tenants(): Promise<void> {
    const [ids, domains] = [this.#take('tenant'), this.#take('tenantOfDomain')]
    const all = this.#take('tenants')
    const tenants = () => this.#db.selectFrom('tenant').selectAll()
    const rows = [
      ...(await inParts(ids, (some) => tenants().where('id', 'in', some).execute())),
      ...(await inParts(domains, (some) =>
        tenants()
          .where('id', 'in', (from) =>
            from.selectFrom('tenant_domain').select('tenant_id').where('domain', 'in', some),
          )
          .execute(),
      )),
      ...(all.length === 0 ? [] : await tenants().orderBy('id').execute()),
    ]
    const byId = new Map(rows.map((row) => [row.id, row]))
    const found = await objectsOf(this.#db, 'tenant', [...byId.values()])
    this.#answer('tenant', ids, found)
    this.#answer('tenantOfDomain', domains, found)
    this.#answer('tenants', all, found)
  }

  /** By tenant and application ID, or by application ID in all tenants. */
  async principalsByAppId(): Promise<void> {
    const inTenants = this.#take('servicePrincipalInTenant')
    const ofApplications = this.#take('servicePrincipalsOfApplication')
    const pairs = Map.groupBy(inTenants, (key) => key.split(' ')[0] ?? '')
    const principals: CommittedChange[] = []
    for (const [tenantId, keys] of pairs) {
      const appIds = keys.map((key) => key.slice(tenantId.length + 1))
      const rows = await inParts(appIds, (some) =>
        this.#db
          .selectFrom('service_principal')
          .selectAll()
          .where('app_id', 'in', some)
          .where('tenant_id', '=', tenantId)
          .where('deleted_at', 'is', null)
          .execute(),
      )
      principals.push(...(await objectsOf(this.#db, 'servicePrincipal', rows)))
      for (const appId of appIds) this.#want('applicationOfAppId', appId)
    }
    const rows = await inParts(ofApplications, (some) =>
      this.#db
        .selectFrom('service_principal')
        .selectAll()
        .where('app_id', 'in', some)
        .orderBy('id')
        .execute(),
    )
    const everywhere = await objectsOf(this.#db, 'servicePrincipal', rows)
    this.#answer('servicePrincipalInTenant', inTenants, principals)
    this.#answer('servicePrincipalsOfApplication', ofApplications, everywhere)
    for (const { id } of [...principals, ...everywhere].slice(0, maxRelated)) {
      this.#want('assignmentsOfPrincipal', id)
    }
  }

  /** By role, by resource, and by their own ID. */
  async assignmentsByRole(): Promise<void> {
    const ids = this.#take('appRoleAssignment')
    const byId = await inParts(ids, (some) => this.#assignments().where('id', 'in', some).execute())
    this.#answer('appRoleAssignment', ids, await objectsOf(this.#db, 'appRoleAssignment', byId))

    const resourceIds = this.#take('assignmentsToResource')
    const toResources = await inParts(resourceIds, (some) =>
      this.#assignments().where('resource_id', 'in', some).orderBy('id').execute(),
    )
    const ofResources = await objectsOf(this.#db, 'appRoleAssignment', toResources)
    this.#answer('assignmentsToResource', resourceIds, ofResources)

    const roles = this.#take('assignmentsOfRole')
    for (const role of roles) {
      const [resourceId = '', appRoleId = ''] = role.split(' ')
      const rows = await this.#assignments()
        .where('resource_id', '=', resourceId)
        .where('app_role_id', '=', appRoleId)
        .orderBy('id')
        .execute()
      this.#answer(
        'assignmentsOfRole',
        [role],
        await objectsOf(this.#db, 'appRoleAssignment', rows),
      )
      for (const { principal_id } of rows.slice(0, maxRelated)) {
        this.#want('servicePrincipal', principal_id)
      }
    }
  }

  /** Service principals by their own ID, and with each the application. */
  async principalsById(): Promise<CommittedChange[]> {
    const ids = this.#take('servicePrincipal')
    const rows = await inParts(ids, (some) =>
      this.#db.selectFrom('service_principal').selectAll().where('id', 'in', some).execute(),
    )
    const principals = await objectsOf(this.#db, 'servicePrincipal', rows)
    this.#answer('servicePrincipal', ids, principals)
    for (const { app_id, deleted_at, tenant_id } of rows) {
      if (deleted_at !== null) continue
      const key = inTenant(tenant_id, app_id)
      this.#answer('servicePrincipalInTenant', [key], principals)
      this.#want('applicationOfAppId', app_id)
    }
    return principals
  }

  /** The assignments of principals, and the IDs of the APIs. */
  async assignmentsOf(principals: readonly CommittedChange[]): Promise<void> {
    for (const { id } of principals) this.#want('assignmentsOfPrincipal', id)
    const ids = this.#take('assignmentsOfPrincipal')
    const rows = await inParts(ids, (some) =>
      this.#assignments().where('principal_id', 'in', some).orderBy('id').execute(),
    )
    const assignments = await objectsOf(this.#db, 'appRoleAssignment', rows)
    this.#answer('assignmentsOfPrincipal', ids, assignments)
    const resourceIds = new Set(rows.map(({ resource_id }) => resource_id))
    for (const id of [...resourceIds].slice(0, maxRelated)) this.#want('servicePrincipal', id)
  }

  /** By object ID, application ID or identifier URI. */
  async applications(): Promise<void> {
    const [ids, appIds] = [this.#take('application'), this.#take('applicationOfAppId')]
    const uris = this.#take('applicationsOfUri')
    const names = this.#take('applicationOfUniqueName')
    const applications = () => this.#db.selectFrom('application').selectAll()
    const rows = [
      ...(await inParts(ids, (some) => applications().where('id', 'in', some).execute())),
      ...(await inParts(appIds, (some) =>
        applications().where('app_id', 'in', some).where('deleted_at', 'is', null).execute(),
      )),
      ...(await inParts(names.map(nameInTenant), (some) =>
        applications().where('unique_name', 'in', some).execute(),
      )),
      ...(await inParts(uris.map(nameKey), (some) =>
        applications()
          .where('id', 'in', (from) =>
            from.selectFrom('identifier_uri').select('application_id').where('uri_key', 'in', some),
          )
          .execute(),
      )),
    ]
    const byId = new Map(rows.map((row) => [row.id, row]))
    const found = await objectsOf(this.#db, 'application', [...byId.values()])
    this.#answer('application', ids, found)
    this.#answer('applicationOfAppId', appIds, found)
    this.#answer('applicationOfUniqueName', names, found)
    this.#answer('applicationsOfUri', uris, found)
  }

  #assignments() {
    return this.#db.selectFrom('app_role_assignment').selectAll()
  }

  #want(name: LookupName, key: string): void {
    if (!this.loaded.has(lookupId({ name, key }))) this.#wanted[name].add(key)
  }

  #take(name: LookupName): string[] {
    const keys = [...this.#wanted[name]]
    this.#wanted[name].clear()
    return keys
  }

  #answer(name: LookupName, keys: readonly string[], objects: readonly CommittedChange[]): void {
    const keysOf = directoryLookups[name].keysOf as (value: unknown) => readonly string[]
    const byKey = new Map<string, CommittedChange[]>(keys.map((key) => [key, []]))
    for (const object of objects) {
      for (const key of keysOf(object.value)) byKey.get(key)?.push(object)
    }
    for (const [key, found] of byKey) {
      this.loaded.set(lookupId({ name, key }), { name, key, objects: found })
    }
  }
}
