import { PostgresAdapter } from 'kysely'
import type { Migration } from 'kysely/migration'
import { namedTables, postgresIndexes, removeName, run } from './search-of-names.ts'

/**
 * Finds the names in which a word begins with one or two letters. It expands only: a server of the former
 * release leaves `word_starts` empty, and `fillNameKeys` fills it.
 */
export const wordsOfNames: Migration = {
  async up(db) {
    const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
    await run(
      db,
      namedTables.flatMap((table) => [
        `alter table ${table} add column word_starts text`,
        `create index ${table}_without_words on ${table} (id) where word_starts is null`,
      ]),
    )
    await run(db, isPostgres ? [postgresIndexes('word_trigrams', 'word_starts')] : sqliteSearch)
  },
}

// The tokens are those between spaces. The server has made them lower case, and without punctuation.
const sqliteSearch = [
  'alter table searchable_name add column word_starts text',
  `create virtual table word_search using fts5 (word_starts, content = 'searchable_name',
    content_rowid = 'number', tokenize = 'ascii', detail = 'none', columnsize = 0)`,
  `insert into word_search (word_search) values ('rebuild')`,
  `create trigger searchable_words_added after insert on searchable_name
   begin insert into word_search (rowid, word_starts) values (new.number, new.word_starts); end`,
  `create trigger searchable_words_removed after delete on searchable_name
   begin
     insert into word_search (word_search, rowid, word_starts)
     values ('delete', old.number, old.word_starts);
   end`,
  ...namedTables.flatMap((table) => [
    `drop trigger ${table}_name_added`,
    `drop trigger ${table}_name_changed`,
    `create trigger ${table}_name_added after insert on ${table}
     begin ${addName(table)}; end`,
    `create trigger ${table}_name_changed after update of name_key, word_starts on ${table}
     begin ${removeName(table)}; ${addName(table)}; end`,
  ]),
]

function addName(table: string): string {
  return `insert into searchable_name (object_id, kind, tenant_id, name_key, word_starts)
    select new.id, '${table}', new.tenant_id, new.name_key, new.word_starts
    where new.name_key is not null`
}
