import { type RawBuilder, sql, type Transaction } from 'kysely'
import type {
  DirectoryChange,
  DirectoryKind,
  DirectoryObjects,
} from '../../../model/directory-change.ts'
import { applicationToRows, partTables } from './application-rows.ts'
import { appRoleAssignmentRows, tenantRows } from './entity-rows.ts'
import { servicePrincipalCredentialRows, servicePrincipalToRow } from './service-principal-row.ts'
import type { Tables } from './tables.ts'

/** The columns of the commit that writes an object. */
export type CommitColumns = { readonly revision: RawBuilder<number>; readonly mark: string }

/** How objects of one kind are written. */
type KindOfRows<Kind extends DirectoryKind> = {
  readonly table: 'tenant' | 'application' | 'service_principal' | 'app_role_assignment'
  insert(
    db: Transaction<Tables>,
    value: DirectoryObjects[Kind],
    commit: CommitColumns,
  ): Promise<unknown>
}

/** The kinds of the directory, with the table of each. */
export const directoryTables: { readonly [Kind in DirectoryKind]: KindOfRows<Kind> } = {
  tenant: { table: 'tenant', insert: insertTenant },
  application: { table: 'application', insert: insertApplication },
  servicePrincipal: { table: 'service_principal', insert: insertServicePrincipal },
  appRoleAssignment: {
    table: 'app_role_assignment',
    insert: (db, assignment, commit) =>
      db
        .insertInto('app_role_assignment')
        .values({ ...appRoleAssignmentRows.toRow(assignment), ...commit })
        .execute(),
  },
}

/** Deletes an object with its parts, if it exists. */
export async function deleteObject(db: Transaction<Tables>, kind: DirectoryKind, id: string) {
  if (kind === 'tenant') await db.deleteFrom('tenant_domain').where('tenant_id', '=', id).execute()
  await sql`delete from ${sql.table(directoryTables[kind].table)} where id = ${id}`.execute(db)
}

/**
 * Changes the number of objects of a tenant that are not soft-deleted. It must come before the change of the
 * object.
 */
export async function countObject(db: Transaction<Tables>, { kind, id, value }: DirectoryChange) {
  if (kind !== 'application' && kind !== 'servicePrincipal') return
  const { table } = directoryTables[kind]
  const after = value === null || value.deletedDateTime !== null ? 0 : 1
  const before = sql`from ${sql.table(table)} where id = ${id} and deleted_at is null`
  if (value === null) {
    await sql`
      update directory_count set number = number - 1
      where kind = ${table} and tenant_id = (select tenant_id ${before})
    `.execute(db)
    return
  }
  await sql`
    insert into directory_count (tenant_id, kind, number)
    values (${value.tenantId}, ${table}, ${after} - (select count(*) ${before}))
    on conflict (tenant_id, kind) do update
    set number = directory_count.number + excluded.number
  `.execute(db)
}

async function insertTenant(
  db: Transaction<Tables>,
  value: DirectoryObjects['tenant'],
  commit: CommitColumns,
) {
  await db
    .insertInto('tenant')
    .values({ ...tenantRows.toRow(value), ...commit })
    .execute()
  const domains = [...new Set(value.domains)].map((domain) => ({ tenant_id: value.id, domain }))
  if (domains.length > 0) await db.insertInto('tenant_domain').values(domains).execute()
}

async function insertServicePrincipal(
  db: Transaction<Tables>,
  value: DirectoryObjects['servicePrincipal'],
  commit: CommitColumns,
) {
  await db
    .insertInto('service_principal')
    .values({ ...servicePrincipalToRow(value), ...commit })
    .execute()
  const credentials = servicePrincipalCredentialRows(value)
  if (credentials.length === 0) return
  await db.insertInto('service_principal_credential').values(credentials).execute()
}

async function insertApplication(
  db: Transaction<Tables>,
  value: DirectoryObjects['application'],
  commit: CommitColumns,
) {
  const rows = applicationToRows(value)
  await db
    .insertInto('application')
    .values({ ...rows.application, ...commit })
    .execute()
  for (const table of ['identifier_uri', ...partTables] as const) {
    const parts = rows[table] ?? []
    if (parts.length > 0) await db.insertInto(table).values(parts).execute()
  }
}
