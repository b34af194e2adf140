import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { rowsOf } from '../../../../src/storage/sql/rows/list-parameter.ts'
import type { Tables } from '../../../../src/storage/sql/rows/tables.ts'

const dialects = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  },
  postgresql: {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  },
}

/** A database without rows that records what it executes. */
function recorded(dialect: keyof typeof dialects = 'sqlite') {
  const executed: (readonly [string, ...unknown[]])[] = []
  const db = new Kysely<Tables>({
    dialect: { ...dialects[dialect], createDriver: () => new DummyDriver() },
    log: ({ query: { sql, parameters } }) => {
      executed.push([sql, ...parameters])
    },
  })
  return { db, executed }
}

/** A statement that counts how often it is built. */
function counted() {
  let built = 0
  const statement = (db: Kysely<Tables>, ids: readonly string[]) => {
    built += 1
    return db.selectFrom('tenant').select('id').where('id', 'in', ids)
  }
  return { statement, builtCount: () => built }
}

const text = (...signs: string[]) => `select "id" from "tenant" where "id" in (${signs.join(', ')})`

describe('a compiled statement', () => {
  it("is compiled once for each number of parameters, and runs with each call's parameters", async () => {
    const { db, executed } = recorded()
    const { statement, builtCount } = counted()
    for (const ids of [['a'], ['b'], ['c', 'd'], ['e', 'f']]) await rowsOf(db, statement, ids)
    assert.equal(builtCount(), 2)
    assert.deepEqual(executed, [
      [text('?'), 'a'],
      [text('?'), 'b'],
      [text('?', '?'), 'c', 'd'],
      [text('?', '?'), 'e', 'f'],
    ])
  })

  it('works in the transactions of its database', async () => {
    const { db } = recorded()
    const { statement, builtCount } = counted()
    for (const id of ['a', 'b'])
      await db.transaction().execute((snapshot) => rowsOf(snapshot, statement, [id]))
    assert.equal(builtCount(), 1)
  })

  it('uses the SQL dialect of each database', async () => {
    const { statement } = counted()
    const [one, other] = [recorded('sqlite'), recorded('postgresql')]
    for (const { db } of [one, other]) await rowsOf(db, statement, ['a'])
    assert.deepEqual(
      [...one.executed, ...other.executed],
      [
        [text('?'), 'a'],
        [text('$1'), 'a'],
      ],
    )
  })

  it('is refused if the query has its parameters in another order', async () => {
    const { db, executed } = recorded()
    const swapped = (db: Kysely<Tables>, [one = '', other = '']: readonly string[]) =>
      db.selectFrom('tenant').select('id').where('id', '=', other).where('display_name', '=', one)
    await assert.rejects(rowsOf(db, swapped, ['a', 'b']), /another order in the query: select "id"/)
    assert.deepEqual(executed, [])
  })
})
