import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { directoryIndexes } from './directory-indexes.ts'
import { domainsOfTenants } from './domains-of-tenants.ts'
import { endsOfCredentials } from './ends-of-credentials.ts'
import { searchOfNames } from './search-of-names.ts'
import { tenantsOfCredentials } from './tenants-of-credentials.ts'
import { wordsOfNames } from './words-of-names.ts'

/** A migration of statements that SQLite and PostgreSQL both accept. */
const statements = (script: string): Migration => ({
  async up(db) {
    for (const statement of script.split(';').filter((text) => text.trim() !== '')) {
      await sql.raw(statement).execute(db)
    }
  },
})

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
  correlation_id text`

/** All steps since the first release, in order. A released step is never edited. */
export const migrations: Readonly<Record<string, Migration>> = {
  '2026-11-21-first-tables': statements(`
    create table revision (log text primary key, number integer not null);
    insert into revision (log, number) values ('directory', 0), ('signing-keys', 0);

    create table tenant (
      id text primary key,
      display_name text not null,
      domains text not null,
      is_enabled integer not null,
      created_at text not null,
      revision integer not null
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
      is_fallback_public_client integer not null,
      password_authentication_allowed integer not null,
      revision integer not null
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
      primary key (application_id, position)
    );
    create table federated_identity_credential (${partOfApplication},
      id text not null,
      name text not null,
      description text,
      issuer text not null,
      subject text not null,
      audiences text not null,
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
      revision integer not null
    );
    create table app_role_assignment (
      id text primary key,
      tenant_id text not null,
      principal_id text not null,
      resource_id text not null,
      app_role_id text not null,
      created_at text not null,
      revision integer not null
    );
    create table removed_object (
      kind text not null,
      id text not null,
      revision integer not null,
      primary key (kind, id)
    );
    create index tenant_revision on tenant (revision);
    create index application_revision on application (revision);
    create index service_principal_revision on service_principal (revision);
    create index app_role_assignment_revision on app_role_assignment (revision);
    create index removed_object_revision on removed_object (revision);

    create table signing_key (
      kid text primary key,
      certificate text not null,
      sealed_private_key text not null,
      announced_at text not null,
      signs_from text not null,
      longest_token_seconds integer not null
    );
    create table spent_assertion (
      client_id text not null,
      jti_sha256 text not null,
      expires_at text not null,
      primary key (client_id, jti_sha256)
    );
    create index spent_assertion_expiry on spent_assertion (expires_at);
    create table credential_use (key_id text primary key, last_used_at text not null);
    create table directory_audit (${auditColumns});
    create table sign_in_audit (${auditColumns});
    create index directory_audit_target on directory_audit (target);
    create index sign_in_audit_actor on sign_in_audit (actor);
  `),
  // Only adds: a server of the earlier release can still write, without marks.
  '2026-11-22-commit-marks': statements(`
    create table commit_mark (
      log text not null,
      revision integer not null,
      mark text not null,
      primary key (log, revision)
    );
  `),
  '2026-11-22-audit-lanes': statements(`
    alter table directory_audit add column lane text not null default 'changes';
    alter table sign_in_audit add column lane text not null default 'signIns';
    create index directory_audit_lane on directory_audit (lane, id);
    create index sign_in_audit_lane on sign_in_audit (lane, id);
  `),
  // Records that a server of the earlier release writes afterwards are pruned by their age.
  '2026-11-22-unauthenticated-lane': statements(`
    update sign_in_audit set lane = 'unauthenticated' where lane = 'strangers';
  `),
  // Every filter of the audit finds its latest records by an index. Most records are `done` and have
  // no reason, so those two indexes are partial.
  '2026-11-22-indexes-of-audit': statements(`
    drop index directory_audit_target;
    drop index sign_in_audit_actor;
    create index directory_audit_by_action on directory_audit (action, id);
    ${['directory_audit', 'sign_in_audit']
      .map(
        (table) => `
    create index ${table}_by_actor on ${table} (actor, id);
    create index ${table}_by_target on ${table} (target, id);
    create index ${table}_by_tenant on ${table} (tenant_id, id);
    create index ${table}_by_correlation on ${table} (correlation_id, id);
    create index ${table}_by_reason on ${table} (reason, id) where reason is not null;
    create index ${table}_refused on ${table} (id) where outcome = 'refused'`,
      )
      .join(';')};
  `),
  '2026-11-23-directory-indexes': directoryIndexes,
  // The pages of an ordered list continue after a name or a time, and after an ID.
  '2026-11-24-indexes-of-orders': statements(`
    ${['application', 'service_principal']
      .map(
        (table) => `
    create index ${table}_by_name on ${table} (tenant_id, name_key, id) where deleted_at is null;
    create index ${table}_by_creation on ${table} (tenant_id, created_at, id) where deleted_at is null`,
      )
      .join(';')};
  `),
  // A server of the former release writes rows without these columns, and so drops their values.
  '2026-11-25-descriptions-and-owners': statements(`
    ${['application', 'service_principal']
      .map(
        (table) => `
    alter table ${table} add column owner_ids text not null default '[]';
    alter table ${table} add column description text not null default '{}'`,
      )
      .join(';')};
    alter table application add column unique_name text;
    create index application_unique_name on application (unique_name, tenant_id)
      where unique_name is not null;
    alter table service_principal add column password_credentials text not null default '[]';
    alter table service_principal add column delegated_consents text not null default '[]';
  `),
  // A server of the former release sees an empty subject, which no token has.
  '2026-11-26-claims-matching-expressions': statements(`
    alter table federated_identity_credential add column claims_matching_expression text;
  `),
  // A server of the former release records removed objects without their tenant. Then clients that follow
  // the changes of a tenant start again.
  '2026-11-27-changes-of-tenants': statements(`
    alter table removed_object add column tenant_id text;
    create index removed_object_of_kind on removed_object (kind, revision);
    create index removed_object_of_tenant on removed_object (tenant_id, kind, revision, id);
    create index application_of_tenant on application (tenant_id, revision, id);
    create index service_principal_of_tenant on service_principal (tenant_id, revision, id);
  `),
  // A server of the former release writes rows without this column, and so drops its value.
  '2026-11-28-certificates-of-service-principals': statements(`
    alter table service_principal add column key_credentials text not null default '[]';
  `),
  '2026-11-29-ends-of-credentials': endsOfCredentials,
  // A server of the former release writes keys without this column: their retirement begins again.
  '2026-11-30-agreed-time': statements(`
    alter table signing_key add column retired_at text;
    create table clock_mark (
      id integer primary key,
      agreed_at text not null,
      doubted_since text
    );
  `),
  '2026-12-01-tenants-of-credentials': tenantsOfCredentials,
  // Last uses had the ID of their credential alone. The owner of a certificate chooses its ID, so one that is not
  // unique does not name a credential.
  '2026-12-02-names-of-credential-uses': statements(`
    insert into credential_use (key_id, last_used_at)
      select min(credential.application_id) || '/' || credential_use.key_id, credential_use.last_used_at
      from credential_use
      join (
        select application_id, key_id from password_credential
        union all select application_id, key_id from key_credential
        union all select application_id, id from federated_identity_credential
      ) credential on credential.key_id = credential_use.key_id
      group by credential_use.key_id, credential_use.last_used_at
      having count(*) = 1
      on conflict (key_id) do nothing;
  `),
  '2026-12-03-search-of-names': searchOfNames,
  '2026-12-04-domains-of-tenants': domainsOfTenants,
  '2026-12-05-words-of-names': wordsOfNames,
}
