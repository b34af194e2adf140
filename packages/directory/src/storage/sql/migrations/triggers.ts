const listedTables = ['application', 'service_principal'] as const

const addName = (table: string) =>
  `insert into searchable_name (object_id, kind, tenant_id, name_key, word_starts)
    values (new.id, '${table}', new.tenant_id, new.name_key, new.word_starts)`

const removeName = (table: string) =>
  `delete from searchable_name where object_id = old.id and kind = '${table}'`

const addSearched = (table: string, column: string) =>
  `insert into ${table} (rowid, ${column}) values (new.number, new.${column})`

const removeSearched = (table: string, column: string) =>
  `insert into ${table} (${table}, rowid, ${column}) values ('delete', old.number, old.${column})`

/**
 * Triggers that add names to the search index. The server never updates an application or a service
 * principal, but replaces the whole row. PostgreSQL has its own indexes, and needs no trigger.
 */
export const sqliteTriggers: readonly string[] = [
  ...listedTables.flatMap((table) => [
    `create trigger ${table}_name_added after insert on ${table}
     begin ${addName(table)}; end`,
    `create trigger ${table}_name_removed after delete on ${table}
     begin ${removeName(table)}; end`,
  ]),
  `create trigger searchable_name_added after insert on searchable_name
   begin ${addSearched('name_search', 'name_key')}; end`,
  `create trigger searchable_name_removed after delete on searchable_name
   begin ${removeSearched('name_search', 'name_key')}; end`,
  `create trigger searchable_words_added after insert on searchable_name
   begin ${addSearched('word_search', 'word_starts')}; end`,
  `create trigger searchable_words_removed after delete on searchable_name
   begin ${removeSearched('word_search', 'word_starts')}; end`,
]
