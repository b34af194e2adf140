import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, it } from 'node:test'
import { memoryDatabase } from '../../../../../../test/fixtures/directory/memory-database.ts'
import { contractionSuffix } from '../../../../src/storage/sql/migrations/later-migrations.ts'
import { migrations } from '../../../../src/storage/sql/migrations/migrations.ts'
import { sqliteDatabase } from '../../../../src/storage/sqlite/sqlite-database.ts'

/** A column as an earlier release sees it. */
type Column = { readonly name: string; readonly type: string; readonly notnull: 0 | 1 }
type Table = { readonly columns: readonly Column[]; readonly uniqueIndexes: readonly string[] }

function tablesOf(side: DatabaseSync): ReadonlyMap<string, Table> {
  const names = side
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all()
    .map(({ name }) => String(name))
  return new Map(
    names.map((name) => [
      name,
      {
        columns: side
          .prepare(
            'select name, type, "notnull" and dflt_value is null as "notnull" from pragma_table_info(?)',
          )
          .all(name) as Column[],
        uniqueIndexes: side
          .prepare('select name from pragma_index_list(?) where "unique" = 1')
          .all(name)
          .map((index) => String(index.name)),
      },
    ]),
  )
}

/** The changes of tables for which a statement of the earlier release fails. */
function contractions(
  before: ReadonlyMap<string, Table>,
  after: ReadonlyMap<string, Table>,
): string[] {
  return [...before].flatMap(([name, { columns, uniqueIndexes }]) => {
    const table = after.get(name)
    if (table === undefined) return [`${name} is removed`]
    const changed = columns
      .filter(
        (column) =>
          !table.columns.some(
            ({ name, type, notnull }) =>
              name === column.name && type === column.type && notnull <= column.notnull,
          ),
      )
      .map((column) => `${name}.${column.name} is removed or changed`)
    const required = table.columns
      .filter(({ name, notnull }) => notnull && !columns.some((column) => column.name === name))
      .map((column) => `${name}.${column.name} is required`)
    const unique = table.uniqueIndexes
      .filter((index) => !uniqueIndexes.includes(index))
      .map((index) => `${index} is unique`)
    return [...changed, ...required, ...unique]
  })
}

describe('a migration that is not a contraction', () => {
  const side = new DatabaseSync(':memory:')
  const database = sqliteDatabase(side, ':memory:')
  const [first = '', ...later] = Object.keys(migrations)
  before(() => database.migrate(first))
  for (const name of later.filter((name) => !name.endsWith(contractionSuffix))) {
    it(`keeps the statements of the previous release valid: ${name}`, async () => {
      const present = tablesOf(side)
      await database.migrate(name)
      assert.deepEqual(contractions(present, tablesOf(side)), [])
    })
  }

  it('gives a tenant of the first schema no inert properties', async () => {
    const earlier = new DatabaseSync(':memory:')
    const store = sqliteDatabase(earlier, ':memory:')
    await store.migrate(first)
    earlier.exec("insert into tenant values ('t', 'Contoso', '[]', 1, '2030-01-01', 1, 'm', '[]')")
    await store.migrate()
    const row = earlier.prepare('select display_name, inert_properties from tenant').get()
    assert.deepEqual({ ...row }, { display_name: 'Contoso', inert_properties: '{}' })
  })

  for (const [statement, contraction] of [
    ['drop table tenant', 'tenant is removed'],
    ['alter table tenant drop column is_enabled', 'tenant.is_enabled is removed or changed'],
    ['alter table tenant rename column domains to names', 'tenant.domains is removed or changed'],
    ["alter table tenant add column region text not null default ''", undefined],
    ['alter table tenant add column region text', undefined],
    ['create unique index one_name on tenant (display_name)', 'one_name is unique'],
  ] as const) {
    it(`${contraction === undefined ? 'may' : 'may not'} contain: ${statement}`, async () => {
      const { side: changed } = await memoryDatabase()
      const before = tablesOf(changed)
      changed.exec(statement)
      assert.equal(contractions(before, tablesOf(changed))[0], contraction)
    })
  }
})

describe('a store of an early release', () => {
  it('is refused with the upgrade path in the error, and stays unchanged', async () => {
    const side = new DatabaseSync(':memory:')
    side.exec(`create table revision (log text primary key); create table kysely_migration (name text);
      insert into kysely_migration values ('2026-11-01-first'), ('2026-12-07-first-schema')`)
    const before = tablesOf(side)
    await assert.rejects(sqliteDatabase(side, ':memory:').migrate(), {
      code: 'storage_unavailable',
      message:
        /^An early release made the tables of the store\. Nothing was changed: start the release that made it.+registrations export.+new store\.$/,
    })
    assert.deepEqual(tablesOf(side), before)
  })
})

describe('a store of a later release', () => {
  for (const [name, isUsed] of [
    ['2999-01-01-more-columns', true],
    [`2999-01-01-fewer-columns${contractionSuffix}`, false],
  ] as const) {
    it(`is ${isUsed ? 'used' : 'refused'} after ${name}`, async () => {
      const { side, database } = await memoryDatabase()
      side.exec(`insert into kysely_migration values ('${name}', '2999-01-01T00:00:00.000Z')`)
      const migrated = database.migrate()
      if (isUsed) await migrated
      else await assert.rejects(migrated, { code: 'storage_unavailable' })
    })
  }
})
