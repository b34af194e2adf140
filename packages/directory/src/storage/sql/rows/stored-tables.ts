import { type RawBuilder, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** A table, and the columns of its primary key. */
export type StoredTable = {
  readonly name: keyof Tables
  readonly key: readonly string[]
  /** The column with the tenant, or with an object of the tenant; undefined when its rows are of the server. */
  readonly tenant?: 'id' | 'tenant_id' | keyof typeof owners
}

/** The tables of the objects that a column names. */
const owners = {
  application_id: 'application',
  service_principal_id: 'service_principal',
  principal_id: 'service_principal',
} as const

/** All tables of the store. A table comes after the tables that it refers to. */
export const storedTables: readonly StoredTable[] = [
  { name: 'revision', key: ['log'] },
  { name: 'commit_mark', key: ['log', 'revision'] },
  { name: 'tenant', key: ['id'], tenant: 'id' },
  { name: 'tenant_domain', key: ['tenant_id', 'domain'], tenant: 'tenant_id' },
  { name: 'application', key: ['id'], tenant: 'tenant_id' },
  { name: 'identifier_uri', key: ['application_id', 'uri_key'], tenant: 'application_id' },
  { name: 'app_role', key: ['application_id', 'position'], tenant: 'application_id' },
  { name: 'password_credential', key: ['application_id', 'position'], tenant: 'application_id' },
  { name: 'key_credential', key: ['application_id', 'position'], tenant: 'application_id' },
  {
    name: 'federated_identity_credential',
    key: ['application_id', 'position'],
    tenant: 'application_id',
  },
  { name: 'service_principal', key: ['id'], tenant: 'tenant_id' },
  {
    name: 'service_principal_credential',
    key: ['service_principal_id', 'kind', 'key_id'],
    tenant: 'service_principal_id',
  },
  { name: 'app_role_assignment', key: ['id'], tenant: 'principal_id' },
  { name: 'removed_object', key: ['kind', 'id'] },
  { name: 'directory_count', key: ['tenant_id', 'kind'] },
  { name: 'signing_key', key: ['kid'] },
  { name: 'heartbeat', key: ['id'] },
  { name: 'clock_mark', key: ['id'] },
  { name: 'spent_assertion', key: ['client_id', 'jti_sha256'] },
  { name: 'credential_use', key: ['key_id'] },
  { name: 'directory_audit', key: ['id'] },
  { name: 'sign_in_audit', key: ['id'] },
]

/** The rows of a table that belong to a tenant. An index finds them, so the rows of other tenants cost nothing. */
export function rowsOfTenant<Row>(
  { name, tenant = 'id' }: StoredTable,
  tenantId: string,
): RawBuilder<Row> {
  const column = sql.ref(tenant)
  const condition =
    tenant === 'id' || tenant === 'tenant_id'
      ? sql`${column} = ${tenantId}`
      : sql`${column} in (select id from ${sql.table(owners[tenant])} where tenant_id = ${tenantId})`
  return sql<Row>`select * from ${sql.table(name)} where ${condition}`
}
