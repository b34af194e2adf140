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
import { inParts, rowsOf } from '../rows/list-parameter.ts'
import { objectsOf } from '../rows/object-queries.ts'
import { nameKey } from '../rows/object-rows.ts'
import type { Tables } from '../rows/tables.ts'

/** Related principals that one load also reads. */
const maxRelated = 200

/**
 * Loads the results of lookups. It also loads the related objects that a token needs: the
 * application of a client, its assignments, and the APIs of these assignments.
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

type Db = Kysely<Tables>
type Keys = readonly string[]

/** The statements of lookups, by the table and the columns that they compare. */
const statements = {
  tenantsById: (db: Db, ids: Keys) => db.selectFrom('tenant').selectAll().where('id', 'in', ids),
  tenantsByDomain: (db: Db, domains: Keys) =>
    db
      .selectFrom('tenant')
      .selectAll()
      .where('id', 'in', (from) =>
        from.selectFrom('tenant_domain').select('tenant_id').where('domain', 'in', domains),
      ),
  principalsById: (db: Db, ids: Keys) =>
    db.selectFrom('service_principal').selectAll().where('id', 'in', ids),
  /** The last key is the tenant. */
  principalsInTenant: (db: Db, keys: Keys) =>
    db
      .selectFrom('service_principal')
      .selectAll()
      .where('app_id', 'in', keys.slice(0, -1))
      .where('tenant_id', '=', keys.at(-1) ?? '')
      .where('deleted_at', 'is', null),
  principalsByAppId: (db: Db, appIds: Keys) =>
    db.selectFrom('service_principal').selectAll().where('app_id', 'in', appIds).orderBy('id'),
  agentsOfBlueprints: (db: Db, appIds: Keys) =>
    db
      .selectFrom('service_principal')
      .selectAll()
      .where('agent_blueprint_id', 'in', appIds)
      .orderBy('id'),
  assignmentsById: (db: Db, ids: Keys) =>
    db.selectFrom('app_role_assignment').selectAll().where('id', 'in', ids),
  assignmentsByPrincipal: (db: Db, ids: Keys) =>
    db.selectFrom('app_role_assignment').selectAll().where('principal_id', 'in', ids).orderBy('id'),
  assignmentsByResource: (db: Db, ids: Keys) =>
    db.selectFrom('app_role_assignment').selectAll().where('resource_id', 'in', ids).orderBy('id'),
  assignmentsByRole: (db: Db, [resourceId = '', appRoleId = '']: Keys) =>
    db
      .selectFrom('app_role_assignment')
      .selectAll()
      .where('resource_id', '=', resourceId)
      .where('app_role_id', '=', appRoleId)
      .orderBy('id'),
  applicationsById: (db: Db, ids: Keys) =>
    db.selectFrom('application').selectAll().where('id', 'in', ids),
  applicationsByAppId: (db: Db, appIds: Keys) =>
    db
      .selectFrom('application')
      .selectAll()
      .where('app_id', 'in', appIds)
      .where('deleted_at', 'is', null),
  applicationsByUniqueName: (db: Db, names: Keys) =>
    db.selectFrom('application').selectAll().where('unique_name', 'in', names),
  applicationsByUri: (db: Db, uris: Keys) =>
    db
      .selectFrom('application')
      .selectAll()
      .where('id', 'in', (from) =>
        from.selectFrom('identifier_uri').select('application_id').where('uri_key', 'in', uris),
      ),
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
    const rows = [
      ...(await this.#rows(statements.tenantsById, ids)),
      ...(await this.#rows(statements.tenantsByDomain, domains)),
      ...(all.length === 0
        ? []
        : await this.#db.selectFrom('tenant').selectAll().orderBy('id').execute()),
    ]
    const byId = new Map(rows.map((row) => [row.id, row]))
    const found = await objectsOf(this.#db, 'tenant', [...byId.values()])
    this.#answer('tenant', ids, found)
    this.#answer('tenantOfDomain', domains, found)
    this.#answer('tenants', all, found)
  }

  /** By tenant and application ID, by application ID in all tenants, or agents by their blueprint. */
  async principalsByAppId(): Promise<void> {
    const inTenants = this.#take('servicePrincipalInTenant')
    const ofApplications = this.#take('servicePrincipalsOfApplication')
    const pairs = Map.groupBy(inTenants, (key) => key.split(' ')[0] ?? '')
    const principals: CommittedChange[] = []
    for (const [tenantId, keys] of pairs) {
      const appIds = keys.map((key) => key.slice(tenantId.length + 1))
      const rows = await this.#rows(statements.principalsInTenant, appIds, tenantId)
      principals.push(...(await objectsOf(this.#db, 'servicePrincipal', rows)))
      for (const appId of appIds) this.#want('applicationOfAppId', appId)
    }
    const rows = await this.#rows(statements.principalsByAppId, ofApplications)
    const everywhere = await objectsOf(this.#db, 'servicePrincipal', rows)
    this.#answer('servicePrincipalInTenant', inTenants, principals)
    this.#answer('servicePrincipalsOfApplication', ofApplications, everywhere)
    const blueprints = this.#take('agentsOfBlueprint')
    const agentRows = await this.#rows(statements.agentsOfBlueprints, blueprints)
    const agents = await objectsOf(this.#db, 'servicePrincipal', agentRows)
    this.#answer('agentsOfBlueprint', blueprints, agents)
    for (const { id } of agents) this.#want('assignmentsOfPrincipal', id)
    for (const { id } of [...principals, ...everywhere].slice(0, maxRelated))
      this.#want('assignmentsOfPrincipal', id)
  }

  /** By role, by resource, and by their own ID. */
  async assignmentsByRole(): Promise<void> {
    const ids = this.#take('appRoleAssignment')
    const byId = await this.#rows(statements.assignmentsById, ids)
    this.#answer('appRoleAssignment', ids, await objectsOf(this.#db, 'appRoleAssignment', byId))

    const resourceIds = this.#take('assignmentsToResource')
    const toResources = await this.#rows(statements.assignmentsByResource, resourceIds)
    const ofResources = await objectsOf(this.#db, 'appRoleAssignment', toResources)
    this.#answer('assignmentsToResource', resourceIds, ofResources)

    const roles = this.#take('assignmentsOfRole')
    for (const role of roles) {
      const rows = await rowsOf(this.#db, statements.assignmentsByRole, role.split(' '))
      this.#answer(
        'assignmentsOfRole',
        [role],
        await objectsOf(this.#db, 'appRoleAssignment', rows),
      )
      for (const { principal_id } of rows.slice(0, maxRelated))
        this.#want('servicePrincipal', principal_id)
    }
  }

  /** Service principals by their own ID, and with each the application. */
  async principalsById(): Promise<CommittedChange[]> {
    const ids = this.#take('servicePrincipal')
    const rows = await this.#rows(statements.principalsById, ids)
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
    const rows = await this.#rows(statements.assignmentsByPrincipal, ids)
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
    const rows = [
      ...(await this.#rows(statements.applicationsById, ids)),
      ...(await this.#rows(statements.applicationsByAppId, appIds)),
      ...(await this.#rows(statements.applicationsByUniqueName, names.map(nameInTenant))),
      ...(await this.#rows(statements.applicationsByUri, uris.map(nameKey))),
    ]
    const byId = new Map(rows.map((row) => [row.id, row]))
    const found = await objectsOf(this.#db, 'application', [...byId.values()])
    this.#answer('application', ids, found)
    this.#answer('applicationOfAppId', appIds, found)
    this.#answer('applicationOfUniqueName', names, found)
    this.#answer('applicationsOfUri', uris, found)
  }

  #rows<Row>(statement: Parameters<typeof rowsOf<Row, string>>[1], keys: Keys, ...others: Keys) {
    return inParts(keys, (some) => rowsOf(this.#db, statement, [...some, ...others]))
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
    for (const [key, found] of byKey)
      this.loaded.set(lookupId({ name, key }), { name, key, objects: found })
  }
}
