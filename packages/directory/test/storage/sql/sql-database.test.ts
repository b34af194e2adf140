import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Kysely } from 'kysely'
import { memoryDatabase } from '../../../../../test/fixtures/directory/memory-database.ts'
import { beginning } from '../../../src/live/commit.ts'
import type { Followed } from '../../../src/live/directory-log.ts'
import type { ChangesQuestion } from '../../../src/storage/sql/directory/changes-question.ts'
import type { Tables } from '../../../src/storage/sql/rows/tables.ts'
import { SqlDatabase } from '../../../src/storage/sql/sql-database.ts'
import { nodeSqliteDialect } from '../../../src/storage/sqlite/sqlite-dialect.ts'
import { localChannel, StatementRunner } from '../../../src/storage/sqlite/statement-runner.ts'

const lookups = [{ name: 'application', key: 'a' }] as const
const inOneStep: Followed = { latest: beginning, hasKnown: true, changes: [], loaded: [] }

/** A database whose answers in one step come when the test says so. */
async function databaseFixture(oneStepAfter: number) {
  const { side: connection } = await memoryDatabase()
  const runner = new StatementRunner({ current: () => connection, close: () => connection.close() })
  const asked: { question: ChangesQuestion; answer: PromiseWithResolvers<Followed> }[] = []
  const dialect = nodeSqliteDialect(localChannel(runner), 100)
  const database = new SqlDatabase({
    kysely: new Kysely<Tables>({ dialect }),
    dialect,
    changesInOneStep: (question) => {
      const answer = Promise.withResolvers<Followed>()
      asked.push({ question, answer })
      return answer.promise
    },
    oneStepAfter,
    bytesQuery: 'select 0 as bytes',
    faultOf: () => undefined,
  })
  const ask = () => database.changes({ known: beginning, lookups })
  return { database, asked, ask }
}

describe('the queries of a follower', () => {
  it('run one by one until a combined query has its first result', async () => {
    const { database, asked, ask } = await databaseFixture(2)
    await database.changes({ known: beginning, lookups: [] })
    for (const count of [0, 1, 1]) {
      await ask()
      assert.equal(asked.length, count)
    }
    assert.deepEqual(asked[0]?.question.lookups, [])
    asked[0]?.answer.resolve(inOneStep)
    await setImmediate()
    const answer = ask()
    asked[1]?.answer.resolve(inOneStep)
    assert.equal(await answer, inOneStep)
    await database.close()
  })

  it('run one by one if the first combined query fails, and start a second one', async () => {
    const { database, asked, ask } = await databaseFixture(1)
    await ask()
    asked[0]?.answer.reject(new Error('no memory'))
    await setImmediate()
    await ask()
    assert.equal(asked.length, 2)
    await database.close()
  })

  it('run as one combined query if no earlier queries are required', async () => {
    const { database, asked, ask } = await databaseFixture(0)
    const answer = ask()
    asked[0]?.answer.resolve(inOneStep)
    assert.equal(await answer, inOneStep)
    await database.close()
  })
})
