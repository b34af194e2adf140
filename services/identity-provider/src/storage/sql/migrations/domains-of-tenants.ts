import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * The tenant of each domain, so that a tenant is read when it is asked for. Triggers write it, also for a
 * server of the former release.
 */
export const domainsOfTenants: Migration = {
  async up(db) {
    const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
    const each = isPostgres ? 'jsonb_array_elements_text' : 'json_each'
    const json = (domains: string) => (isPostgres ? `${domains}::jsonb` : domains)
    await run(db, [
      `create table tenant_domain (
        tenant_id text not null,
        domain text not null,
        primary key (tenant_id, domain)
      )`,
      'create index tenant_domain_domain on tenant_domain (domain)',
      `insert into tenant_domain (tenant_id, domain)
        select distinct tenant.id, one.value from tenant cross join ${each}(${json('tenant.domains')}) as one`,
      ...(isPostgres ? postgresTriggers : sqliteTriggers),
    ])
  },
}

async function run(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const remove = 'delete from tenant_domain where tenant_id = old.id'

// The server never updates a tenant: it replaces the whole row.
const sqliteTriggers = [
  `create trigger tenant_domains_added after insert on tenant
   begin
     insert into tenant_domain (tenant_id, domain)
     select distinct new.id, one.value from json_each(new.domains) as one;
   end`,
  `create trigger tenant_domains_removed after delete on tenant begin ${remove}; end`,
]

const postgresTriggers = [
  `create function add_tenant_domains() returns trigger language plpgsql as
   $$ begin
     insert into tenant_domain (tenant_id, domain)
     select distinct new.id, one.value from jsonb_array_elements_text(new.domains::jsonb) as one;
     return null;
   end $$`,
  `create function remove_tenant_domains() returns trigger language plpgsql as
   $$ begin ${remove}; return null; end $$`,
  `create trigger tenant_domains_added after insert on tenant for each row
   execute function add_tenant_domains()`,
  `create trigger tenant_domains_removed after delete on tenant for each row
   execute function remove_tenant_domains()`,
]
