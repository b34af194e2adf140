import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The tables of credentials, with the table and the column of the objects that have them. */
const tables = [
  ['password_credential', 'application', 'application_id'],
  ['key_credential', 'application', 'application_id'],
  ['service_principal_credential', 'service_principal', 'service_principal_id'],
] as const

/**
 * The tenant of each credential, and an index of the ends in a tenant. A server of the former release writes
 * rows without a tenant, and a trigger fills them.
 */
export const tenantsOfCredentials: Migration = {
  async up(db) {
    const triggerOf =
      db.getExecutor().adapter instanceof PostgresAdapter ? postgresTrigger : sqliteTrigger
    for (const [table, owner, column] of tables) {
      const tenant = `(select tenant_id from ${owner} where id = ${column})`
      await run(db, [
        `alter table ${table} add column tenant_id text`,
        `update ${table} set tenant_id = ${tenant}`,
        `create index ${table}_end on ${table} (tenant_id, ends_at, key_id)`,
        ...triggerOf(table, owner, column),
      ])
    }
  },
}

async function run(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const sqliteTrigger = (table: string, owner: string, column: string): string[] => [
  `create trigger ${table}_tenant after insert on ${table} when new.tenant_id is null
   begin
     update ${table} set tenant_id = (select tenant_id from ${owner} where id = new.${column})
     where rowid = new.rowid;
   end`,
]

const postgresTrigger = (table: string, owner: string, column: string): string[] => [
  `create function fill_${table}_tenant() returns trigger language plpgsql as
   $$ begin
     new.tenant_id := (select tenant_id from ${owner} where id = new.${column});
     return new;
   end $$`,
  `create trigger ${table}_tenant before insert on ${table} for each row
   when (new.tenant_id is null) execute function fill_${table}_tenant()`,
]
