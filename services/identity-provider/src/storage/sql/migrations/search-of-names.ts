import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const namedTables = ['application', 'service_principal'] as const

/**
 * Finds each part of a name by its trigrams. It expands only: triggers, or the database itself, add the
 * names that a server of the former release writes.
 */
export const searchOfNames: Migration = {
  async up(db) {
    const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
    await run(db, isPostgres ? [postgresIndexes('trigrams', 'name_key')] : sqliteSearch)
  },
}

export async function run(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** Without the extension, or the right to create it, a search reads each name of the tenant. */
export const postgresIndexes = (name: string, column: string): string => `
  do $$ begin
    create extension if not exists pg_trgm;
    ${namedTables
      .map(
        (table) => `create index ${table}_${name} on ${table} using gin (${column} gin_trgm_ops);`,
      )
      .join('\n')}
  exception when insufficient_privilege or undefined_file or feature_not_supported
    or undefined_object then
    raise notice 'names have no index for searches: %', sqlerrm;
  end $$`

// An index of texts needs a number for each row that no command changes, so it has a table of its own.
const sqliteSearch = [
  `create table searchable_name (
    number integer primary key,
    object_id text not null,
    kind text not null,
    tenant_id text not null,
    name_key text not null
  )`,
  ...namedTables.map(
    (table) => `insert into searchable_name (object_id, kind, tenant_id, name_key)
      select id, '${table}', tenant_id, name_key from ${table} where name_key is not null`,
  ),
  'create unique index searchable_name_object on searchable_name (object_id, kind)',
  `create virtual table name_search using fts5 (name_key, content = 'searchable_name',
    content_rowid = 'number', tokenize = 'trigram case_sensitive 1')`,
  `insert into name_search (name_search) values ('rebuild')`,
  `create trigger searchable_name_added after insert on searchable_name
   begin insert into name_search (rowid, name_key) values (new.number, new.name_key); end`,
  `create trigger searchable_name_removed after delete on searchable_name
   begin
     insert into name_search (name_search, rowid, name_key)
     values ('delete', old.number, old.name_key);
   end`,
  ...namedTables.flatMap((table) => [
    `create trigger ${table}_name_added after insert on ${table}
     begin ${addName(table)}; end`,
    `create trigger ${table}_name_changed after update of name_key on ${table}
     begin ${removeName(table)}; ${addName(table)}; end`,
    `create trigger ${table}_name_removed after delete on ${table}
     begin ${removeName(table)}; end`,
  ]),
]

function addName(table: string): string {
  return `insert into searchable_name (object_id, kind, tenant_id, name_key)
    select new.id, '${table}', new.tenant_id, new.name_key where new.name_key is not null`
}

export function removeName(table: string): string {
  return `delete from searchable_name where object_id = old.id and kind = '${table}'`
}
