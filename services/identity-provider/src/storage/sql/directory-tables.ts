import { type Kysely, sql, type Transaction } from 'kysely'
import type {
  CommittedChange,
  DirectoryKind,
  DirectoryObjects,
} from '../../directory/directory-change.ts'
import {
  type ApplicationRows,
  applicationFromRows,
  applicationToRows,
  partTables,
} from './application-rows.ts'
import {
  appRoleAssignmentFromRow,
  appRoleAssignmentToRow,
  servicePrincipalFromRow,
  servicePrincipalToRow,
  tenantFromRow,
  tenantToRow,
} from './object-rows.ts'
import type { Tables } from './tables.ts'

/** How objects of one kind are kept. */
type KindOfRows<Kind extends DirectoryKind> = {
  readonly table: 'tenant' | 'application' | 'service_principal' | 'app_role_assignment'
  insert(db: Transaction<Tables>, value: DirectoryObjects[Kind], revision: number): Promise<unknown>
  changedAfter(db: Kysely<Tables>, revision: number): Promise<CommittedChange[]>
}

/** The kinds of the directory with how each is kept. */
export const directoryTables: { readonly [Kind in DirectoryKind]: KindOfRows<Kind> } = {
  tenant: {
    table: 'tenant',
    insert: (db, tenant, revision) =>
      db.insertInto('tenant').values(tenantToRow(tenant, revision)).execute(),
    changedAfter: async (db, revision) =>
      (await db.selectFrom('tenant').selectAll().where('revision', '>', revision).execute()).map(
        (row) => ({
          kind: 'tenant',
          id: row.id,
          value: tenantFromRow(row),
          revision: row.revision,
        }),
      ),
  },
  application: {
    table: 'application',
    insert: insertApplication,
    changedAfter: applicationsChangedAfter,
  },
  servicePrincipal: {
    table: 'service_principal',
    insert: (db, principal, revision) =>
      db
        .insertInto('service_principal')
        .values(servicePrincipalToRow(principal, revision))
        .execute(),
    changedAfter: async (db, revision) =>
      (
        await db
          .selectFrom('service_principal')
          .selectAll()
          .where('revision', '>', revision)
          .execute()
      ).map((row) => ({
        kind: 'servicePrincipal',
        id: row.id,
        value: servicePrincipalFromRow(row),
        revision: row.revision,
      })),
  },
  appRoleAssignment: {
    table: 'app_role_assignment',
    insert: (db, assignment, revision) =>
      db
        .insertInto('app_role_assignment')
        .values(appRoleAssignmentToRow(assignment, revision))
        .execute(),
    changedAfter: async (db, revision) =>
      (
        await db
          .selectFrom('app_role_assignment')
          .selectAll()
          .where('revision', '>', revision)
          .execute()
      ).map((row) => ({
        kind: 'appRoleAssignment',
        id: row.id,
        value: appRoleAssignmentFromRow(row),
        revision: row.revision,
      })),
  },
}

/** Deletes an object with its parts, if it is there. */
export const deleteObject = (db: Transaction<Tables>, kind: DirectoryKind, id: string) =>
  sql`delete from ${sql.table(directoryTables[kind].table)} where id = ${id}`.execute(db)

async function insertApplication(
  db: Transaction<Tables>,
  value: DirectoryObjects['application'],
  revision: number,
) {
  const rows = applicationToRows(value, revision)
  await db.insertInto('application').values(rows.application).execute()
  for (const table of partTables) {
    if (rows[table].length > 0) await db.insertInto(table).values(rows[table]).execute()
  }
}

async function applicationsChangedAfter(
  db: Kysely<Tables>,
  revision: number,
): Promise<CommittedChange[]> {
  const applications = await db
    .selectFrom('application')
    .selectAll()
    .where('revision', '>', revision)
    .execute()
  const parts = {
    app_role: await partsOf(db, 'app_role', revision),
    password_credential: await partsOf(db, 'password_credential', revision),
    key_credential: await partsOf(db, 'key_credential', revision),
    federated_identity_credential: await partsOf(db, 'federated_identity_credential', revision),
  }
  return applications.map((application) => {
    const rows: ApplicationRows = {
      application,
      app_role: parts.app_role.get(application.id) ?? [],
      password_credential: parts.password_credential.get(application.id) ?? [],
      key_credential: parts.key_credential.get(application.id) ?? [],
      federated_identity_credential: parts.federated_identity_credential.get(application.id) ?? [],
    }
    return {
      kind: 'application',
      id: application.id,
      value: applicationFromRows(rows),
      revision: application.revision,
    }
  })
}

/** The parts of every application that changed, by application, in their order. */
async function partsOf<Table extends (typeof partTables)[number]>(
  db: Kysely<Tables>,
  table: Table,
  revision: number,
): Promise<Map<string, Tables[Table][]>> {
  const { rows } = await sql<Tables[Table]>`
    select * from ${sql.table(table)}
    where application_id in (select id from application where revision > ${revision})
    order by application_id, position
  `.execute(db)
  return Map.groupBy(rows, ({ application_id }) => application_id)
}
