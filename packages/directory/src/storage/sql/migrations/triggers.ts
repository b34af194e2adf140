const listedTables = ['application', 'service_principal'] as const

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

const addName = (table: string) =>
  `insert into searchable_name (object_id, kind, tenant_id, name_key, word_starts)
    values (new.id, '${table}', new.tenant_id, new.name_key, new.word_starts)`

const removeName = (table: string) =>
  `delete from searchable_name where object_id = old.id and kind = '${table}'`

const removeDomains = 'delete from tenant_domain where tenant_id = old.id'

const addSearched = (table: string, column: string) =>
  `insert into ${table} (rowid, ${column}) values (new.number, new.${column})`

const removeSearched = (table: string, column: string) =>
  `insert into ${table} (${table}, rowid, ${column}) values ('delete', old.number, old.${column})`

/**
 * They count objects, find the domains of tenants, and add names to the index for searches. The server never
 * updates a tenant, an application or a service principal: it replaces the whole row.
 */
export const sqliteTriggers: readonly string[] = [
  ...listedTables.flatMap((table) => [
    `create trigger ${table}_added after insert on ${table} when new.deleted_at is null
     begin ${addOne(table)}; end`,
    `create trigger ${table}_removed after delete on ${table} when old.deleted_at is null
     begin ${subtractOne(table)}; end`,
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
  `create trigger tenant_domains_added after insert on tenant
   begin
     insert into tenant_domain (tenant_id, domain)
     select distinct new.id, one.value from json_each(new.domains) as one;
   end`,
  `create trigger tenant_domains_removed after delete on tenant begin ${removeDomains}; end`,
]

/** Those of PostgreSQL, which finds names by its own indexes. */
export const postgresTriggers: readonly string[] = [
  ...listedTables.flatMap((table) => [
    `create function count_${table}_added() returns trigger language plpgsql as
     $$ begin ${addOne(table)}; return null; end $$`,
    `create function count_${table}_removed() returns trigger language plpgsql as
     $$ begin ${subtractOne(table)}; return null; end $$`,
    `create trigger ${table}_added after insert on ${table} for each row
     when (new.deleted_at is null) execute function count_${table}_added()`,
    `create trigger ${table}_removed after delete on ${table} for each row
     when (old.deleted_at is null) execute function count_${table}_removed()`,
  ]),
  `create function add_tenant_domains() returns trigger language plpgsql as
   $$ begin
     insert into tenant_domain (tenant_id, domain)
     select distinct new.id, one.value from jsonb_array_elements_text(new.domains::jsonb) as one;
     return null;
   end $$`,
  `create function remove_tenant_domains() returns trigger language plpgsql as
   $$ begin ${removeDomains}; return null; end $$`,
  `create trigger tenant_domains_added after insert on tenant for each row
   execute function add_tenant_domains()`,
  `create trigger tenant_domains_removed after delete on tenant for each row
   execute function remove_tenant_domains()`,
]
