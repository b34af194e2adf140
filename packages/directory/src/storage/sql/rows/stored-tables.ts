import type { Tables } from './tables.ts'

/** A table, and the columns of its primary key. */
export type StoredTable = { readonly name: keyof Tables; readonly key: readonly string[] }

/** All tables of the store. A table comes after the tables that it refers to. */
export const storedTables: readonly StoredTable[] = [
  { name: 'revision', key: ['log'] },
  { name: 'commit_mark', key: ['log', 'revision'] },
  { name: 'tenant', key: ['id'] },
  { name: 'tenant_domain', key: ['tenant_id', 'domain'] },
  { name: 'application', key: ['id'] },
  { name: 'identifier_uri', key: ['application_id', 'uri_key'] },
  { name: 'app_role', key: ['application_id', 'position'] },
  { name: 'password_credential', key: ['application_id', 'position'] },
  { name: 'key_credential', key: ['application_id', 'position'] },
  { name: 'federated_identity_credential', key: ['application_id', 'position'] },
  { name: 'service_principal', key: ['id'] },
  { name: 'service_principal_credential', key: ['service_principal_id', 'kind', 'key_id'] },
  { name: 'app_role_assignment', key: ['id'] },
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
