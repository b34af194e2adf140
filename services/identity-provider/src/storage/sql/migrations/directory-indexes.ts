import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const countedTables = ['application', 'service_principal'] as const

/**
 * The indexes of all lookups and lists, and the numbers of objects.
 *
 * It expands only: a server of the former release may go on writing. Such a server leaves `name_key` empty,
 * and `fillNameKeys` fills it. Triggers count, so that its objects are counted too.
 */
export const directoryIndexes: Migration = {
  async up(db) {
    const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
    // The start of a text is found in the order of its bytes. SQLite has no other order.
    const byBytes = isPostgres ? 'collate "C"' : ''
    await run(db, columnsAndIndexes(byBytes))
    for (const table of countedTables) {
      await run(db, [
        `insert into directory_count (tenant_id, kind, number)
          select tenant_id, '${table}', count(*) from ${table}
          where deleted_at is null group by tenant_id`,
      ])
      await run(db, isPostgres ? postgresTriggers(table) : sqliteTriggers(table))
    }
  },
}

async function run(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const columnsAndIndexes = (byBytes: string): string[] => [
  `create table identifier_uri (
    application_id text not null references application (id) on delete cascade,
    tenant_id text not null,
    uri_key text not null ${byBytes},
    primary key (application_id, uri_key)
  )`,
  'create index identifier_uri_key on identifier_uri (uri_key)',
  'create index identifier_uri_of_tenant on identifier_uri (tenant_id, uri_key, application_id)',
  ...countedTables.flatMap((table) => [
    `alter table ${table} add column name_key text ${byBytes}`,
    `create index ${table}_app_id on ${table} (app_id, tenant_id)`,
    `create index ${table}_name on ${table} (tenant_id, name_key)`,
    `create index ${table}_unnamed on ${table} (id) where name_key is null`,
    `create index ${table}_active on ${table} (tenant_id, id) where deleted_at is null`,
    `create index ${table}_deleted on ${table} (tenant_id, id) where deleted_at is not null`,
    `create index ${table}_deleted_at on ${table} (deleted_at) where deleted_at is not null`,
  ]),
  'create index app_role_assignment_principal on app_role_assignment (principal_id, resource_id, id)',
  'create index app_role_assignment_resource on app_role_assignment (resource_id, id)',
  'create index app_role_assignment_role on app_role_assignment (resource_id, app_role_id, id)',
  `create table directory_count (
    tenant_id text not null,
    kind text not null,
    number integer not null,
    primary key (tenant_id, kind)
  )`,
]

// Without `on conflict`, which SQLite would apply to the statements of other triggers too. The lock of the
// commit prevents a second row.
const addOne = (table: string) => `
  insert into directory_count (tenant_id, kind, number)
  select new.tenant_id, '${table}', 0 where not exists (
    select 1 from directory_count where tenant_id = new.tenant_id and kind = '${table}'
  );
  update directory_count set number = number + 1
  where tenant_id = new.tenant_id and kind = '${table}'`

const subtractOne = (table: string) => `
  update directory_count set number = number - 1
  where tenant_id = old.tenant_id and kind = '${table}'`

// The server never updates these columns: it replaces the whole row.
const sqliteTriggers = (table: string): string[] => [
  `create trigger ${table}_added after insert on ${table} when new.deleted_at is null
   begin ${addOne(table)}; end`,
  `create trigger ${table}_removed after delete on ${table} when old.deleted_at is null
   begin ${subtractOne(table)}; end`,
]

const postgresTriggers = (table: string): string[] => [
  `create function count_${table}_added() returns trigger language plpgsql as
   $$ begin ${addOne(table)}; return null; end $$`,
  `create function count_${table}_removed() returns trigger language plpgsql as
   $$ begin ${subtractOne(table)}; return null; end $$`,
  `create trigger ${table}_added after insert on ${table} for each row
   when (new.deleted_at is null) execute function count_${table}_added()`,
  `create trigger ${table}_removed after delete on ${table} for each row
   when (old.deleted_at is null) execute function count_${table}_removed()`,
]
