import { sql, type Transaction } from 'kysely'
import type { DirectoryKind, DirectoryObjects } from '../../../model/directory-change.ts'
import { applicationToRows, partTables } from './application-rows.ts'
import { appRoleAssignmentRows, tenantRows } from './entity-rows.ts'
import { servicePrincipalCredentialRows, servicePrincipalToRow } from './service-principal-row.ts'
import type { Tables } from './tables.ts'

/** How objects of one kind are written. */
type KindOfRows<Kind extends DirectoryKind> = {
  readonly table: 'tenant' | 'application' | 'service_principal' | 'app_role_assignment'
  insert(db: Transaction<Tables>, value: DirectoryObjects[Kind], revision: number): Promise<unknown>
}

/** The kinds of the directory, with the table of each. */
export const directoryTables: { readonly [Kind in DirectoryKind]: KindOfRows<Kind> } = {
  tenant: {
    table: 'tenant',
    insert: (db, tenant, revision) =>
      db.insertInto('tenant').values(tenantRows.toRow(tenant, { revision })).execute(),
  },
  application: { table: 'application', insert: insertApplication },
  servicePrincipal: { table: 'service_principal', insert: insertServicePrincipal },
  appRoleAssignment: {
    table: 'app_role_assignment',
    insert: (db, assignment, revision) =>
      db
        .insertInto('app_role_assignment')
        .values(appRoleAssignmentRows.toRow(assignment, { revision }))
        .execute(),
  },
}

/** Deletes an object with its parts, if it exists. */
export const deleteObject = (db: Transaction<Tables>, kind: DirectoryKind, id: string) =>
  sql`delete from ${sql.table(directoryTables[kind].table)} where id = ${id}`.execute(db)

async function insertServicePrincipal(
  db: Transaction<Tables>,
  value: DirectoryObjects['servicePrincipal'],
  revision: number,
) {
  await db.insertInto('service_principal').values(servicePrincipalToRow(value, revision)).execute()
  const credentials = servicePrincipalCredentialRows(value)
  if (credentials.length === 0) return
  await db.insertInto('service_principal_credential').values(credentials).execute()
}

async function insertApplication(
  db: Transaction<Tables>,
  value: DirectoryObjects['application'],
  revision: number,
) {
  const rows = applicationToRows(value, revision)
  await db.insertInto('application').values(rows.application).execute()
  for (const table of ['identifier_uri', ...partTables] as const) {
    const parts = rows[table] ?? []
    if (parts.length > 0) await db.insertInto(table).values(parts).execute()
  }
}
