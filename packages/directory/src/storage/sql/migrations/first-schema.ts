import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { sqliteTriggers } from './triggers.ts'

const partOfApplication = `
  application_id text not null references application (id) on delete cascade,
  position integer not null`

const auditColumns = `
  id text primary key,
  at text not null,
  tenant_id text,
  actor text not null,
  action text not null,
  target text,
  outcome text not null,
  reason text,
  correlation_id text,
  blueprint_id text`

/** The tables of applications and service principals, which are listed, searched and counted. */
const listedTables = ['application', 'service_principal'] as const

/** All tables and indexes of the first release. */
export const firstSchema: Migration = {
  async up(db) {
    const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
    const statements = [
      // The start of a text is found in the order of its bytes. SQLite has no other order.
      ...tables((await sortsByBytes(db)) ? '' : 'collate "C"').split(';'),
      ...indexes.split(';'),
      ...(isPostgres
        ? ['create sequence directory_revision']
        : [...sqliteSearch, ...sqliteTriggers]),
    ]
    for (const statement of statements.filter((text) => text.trim() !== ''))
      await sql.raw(statement).execute(db)
    if (isPostgres) await indexParts(db)
  },
}

/** Whether texts without a collation sort by their bytes. Some engines do, and refuse the collation `C`. */
async function sortsByBytes(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ yes: boolean | number }>`
    select 'B' < 'a' and 'a-c' < 'ab' and 'z' < 'é' as yes
  `.execute(db)
  return Boolean(rows[0]?.yes)
}

const tables = (byBytes: string): string => `
  create table revision (log text primary key, number integer not null, mark text);
  insert into revision (log, number) values ('signing-keys', 0);
  create table commit_mark (
    log text not null,
    revision integer not null,
    mark text not null,
    primary key (log, revision)
  );

  create table tenant (
    id text primary key,
    display_name text not null,
    domains text not null,
    is_enabled integer not null,
    created_at text not null,
    revision integer not null,
    mark text not null,
    policies text not null default '[]'
  );
  create table tenant_domain (
    tenant_id text not null,
    domain text not null,
    primary key (tenant_id, domain)
  );
  create table application (
    id text primary key,
    tenant_id text not null,
    app_id text not null,
    display_name text not null,
    created_at text not null,
    deleted_at text,
    sign_in_audience text not null,
    identifier_uris text not null,
    requested_access_token_version integer,
    optional_access_token_claims text not null,
    required_resource_access text not null,
    is_fallback_public_client integer,
    password_authentication_allowed integer not null,
    revision integer not null,
    mark text not null,
    name_key text not null ${byBytes},
    owner_ids text not null default '[]',
    description text not null default '{}',
    unique_name text,
    word_starts text not null,
    blueprint text not null default 'null',
    created_by_app_id text,
    policy_ids text not null default '[]',
    extension_properties text not null default '[]'
  );
  create table identifier_uri (
    application_id text not null references application (id) on delete cascade,
    tenant_id text not null,
    uri_key text not null ${byBytes},
    primary key (application_id, uri_key)
  );
  create table app_role (${partOfApplication},
    id text not null,
    allowed_member_types text not null,
    description text not null,
    display_name text not null,
    is_enabled integer not null,
    value text,
    primary key (application_id, position)
  );
  create table password_credential (${partOfApplication},
    key_id text not null,
    display_name text,
    hint text not null,
    starts_at text not null,
    ends_at text not null,
    secret_sha256 text not null,
    tenant_id text not null,
    primary key (application_id, position)
  );
  create table key_credential (${partOfApplication},
    key_id text not null,
    display_name text,
    starts_at text not null,
    ends_at text not null,
    certificate text not null,
    sha1_thumbprint text not null,
    sha256_thumbprint text not null,
    tenant_id text not null,
    primary key (application_id, position)
  );
  create table federated_identity_credential (${partOfApplication},
    id text not null,
    name text not null,
    description text,
    issuer text not null,
    subject text not null,
    audiences text not null,
    claims_matching_expression text,
    primary key (application_id, position)
  );
  create table service_principal (
    id text primary key,
    tenant_id text not null,
    app_id text not null,
    display_name text not null,
    created_at text not null,
    deleted_at text,
    account_enabled integer not null,
    app_role_assignment_required integer not null,
    revision integer not null,
    mark text not null,
    name_key text not null ${byBytes},
    owner_ids text not null default '[]',
    description text not null default '{}',
    password_credentials text not null default '[]',
    delegated_consents text not null default '[]',
    key_credentials text not null default '[]',
    word_starts text not null,
    agent_blueprint_id text,
    sponsor_ids text not null default '[]',
    created_by_app_id text,
    policy_ids text not null default '[]'
  );
  create table service_principal_credential (
    service_principal_id text not null references service_principal (id) on delete cascade,
    kind text not null,
    key_id text not null,
    display_name text,
    ends_at text not null,
    tenant_id text not null,
    primary key (service_principal_id, kind, key_id)
  );
  create table app_role_assignment (
    id text primary key,
    tenant_id text not null,
    principal_id text not null,
    resource_id text not null,
    app_role_id text not null,
    created_at text not null,
    revision integer not null,
    mark text not null
  );
  create table removed_object (
    kind text not null,
    id text not null,
    revision integer not null,
    tenant_id text,
    primary key (kind, id)
  );
  create table directory_count (
    tenant_id text not null,
    kind text not null,
    number integer not null,
    primary key (tenant_id, kind)
  );

  create table signing_key (
    kid text primary key,
    certificate text not null,
    sealed_private_key text not null,
    announced_at text not null,
    signs_from text not null,
    longest_token_seconds integer not null,
    retired_at text
  );
  create table heartbeat (id integer primary key, at text not null);
  create table clock_mark (
    id integer primary key,
    agreed_at text not null,
    doubted_since text
  );
  create table spent_assertion (
    client_id text not null,
    jti_sha256 text not null,
    expires_at text not null,
    primary key (client_id, jti_sha256)
  );
  create table credential_use (key_id text primary key, last_used_at text not null);
  create table directory_audit (${auditColumns}, lane text not null default 'changes');
  create table sign_in_audit (${auditColumns}, lane text not null default 'signIns');
`

const indexes = `
  ${['tenant', 'application', 'service_principal', 'app_role_assignment', 'removed_object']
    .map((table) => `create index ${table}_revision on ${table} (revision)`)
    .join(';')};
  create index tenant_domain_domain on tenant_domain (domain);
  create index identifier_uri_key on identifier_uri (uri_key);
  create index identifier_uri_of_tenant on identifier_uri (tenant_id, uri_key, application_id);
  create index service_principal_of_blueprint on service_principal (agent_blueprint_id)
    where agent_blueprint_id is not null;
  create index application_unique_name on application (unique_name, tenant_id)
    where unique_name is not null;
  ${listedTables
    .map(
      (table) => `
  create index ${table}_app_id on ${table} (app_id, tenant_id);
  create index ${table}_name on ${table} (tenant_id, name_key);
  create index ${table}_active on ${table} (tenant_id, id) where deleted_at is null;
  create index ${table}_deleted on ${table} (tenant_id, id) where deleted_at is not null;
  create index ${table}_deleted_at on ${table} (deleted_at) where deleted_at is not null;
  create index ${table}_of_tenant on ${table} (tenant_id, revision, id);
  create index ${table}_by_name on ${table} (tenant_id, name_key, id) where deleted_at is null;
  create index ${table}_by_creation on ${table} (tenant_id, created_at, id) where deleted_at is null`,
    )
    .join(';')};
  ${['password_credential', 'key_credential', 'service_principal_credential']
    .map((table) => `create index ${table}_end on ${table} (tenant_id, ends_at, key_id)`)
    .join(';')};
  create index app_role_assignment_principal on app_role_assignment (principal_id, resource_id, id);
  create index app_role_assignment_resource on app_role_assignment (resource_id, id);
  create index app_role_assignment_role on app_role_assignment (resource_id, app_role_id, id);
  create index removed_object_of_kind on removed_object (kind, revision);
  create index removed_object_of_tenant on removed_object (tenant_id, kind, revision, id);
  create index spent_assertion_expiry on spent_assertion (expires_at);
  create index directory_audit_by_action on directory_audit (action, id);
  ${['directory_audit', 'sign_in_audit']
    // Every filter of the audit finds its latest records by an index. Most records are done and have no
    // reason, so two of the indexes are partial.
    .map(
      (table) => `
  create index ${table}_lane on ${table} (lane, id);
  create index ${table}_by_actor on ${table} (actor, id);
  create index ${table}_by_target on ${table} (target, id);
  create index ${table}_by_tenant on ${table} (tenant_id, id);
  create index ${table}_by_correlation on ${table} (correlation_id, id);
  create index ${table}_by_reason on ${table} (reason, id) where reason is not null;
  create index ${table}_refused on ${table} (id) where outcome = 'refused'`,
    )
    .join(';')};
`

/** Codes of errors when the extension `pg_trgm` is missing, or may not be created. */
const withoutTrigrams = new Set(['42501', '42704', '0A000', '58P01'])

/**
 * Creates the indexes that find parts of names. Without the extension, or the right to create it, a search
 * reads each name of the tenant.
 */
async function indexParts(db: Kysely<unknown>): Promise<void> {
  const indexes = ['trigrams name_key', 'word_trigrams word_starts'].flatMap((one) => {
    const [name, column] = one.split(' ')
    return listedTables.map(
      (table) => `create index ${table}_${name} on ${table} using gin (${column} gin_trgm_ops)`,
    )
  })
  // After an error, PostgreSQL accepts only the end of the transaction, or a return to a savepoint.
  await sql`savepoint searches`.execute(db)
  try {
    for (const statement of ['create extension if not exists pg_trgm', ...indexes])
      await sql.raw(statement).execute(db)
  } catch (cause) {
    if (!withoutTrigrams.has((cause as { readonly code?: string }).code ?? '')) throw cause
    await sql`rollback to savepoint searches`.execute(db)
  }
}

// An index of texts needs a number for each row that no command changes, so it has a table of its own.
const sqliteSearch = [
  `create table searchable_name (
    number integer primary key,
    object_id text not null,
    kind text not null,
    tenant_id text not null,
    name_key text not null,
    word_starts text not null
  )`,
  'create unique index searchable_name_object on searchable_name (object_id, kind)',
  `create virtual table name_search using fts5 (name_key, content = 'searchable_name',
    content_rowid = 'number', tokenize = 'trigram case_sensitive 1')`,
  // The tokens are those between spaces. The server has made them lower case, and without punctuation.
  `create virtual table word_search using fts5 (word_starts, content = 'searchable_name',
    content_rowid = 'number', tokenize = 'ascii', detail = 'none', columnsize = 0)`,
]
