import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PostgresPool } from 'kysely'
import { runPipelinedBatch } from '../../../src/storage/postgres/postgres-database.ts'

const statements = ['first', 'second', 'third'].map((sql) => ({ sql, parameters: [sql.length] }))

/** A pool whose connection answers by SQL: with a number of rows, or with an error. */
function fakePool(answers: Readonly<Record<string, number | Error>> = {}) {
  const events: string[] = []
  const pool = {
    connect: async () => ({
      query: async (sql: string, parameters: readonly unknown[]) => {
        events.push([sql, ...parameters].join(' '))
        await Promise.resolve()
        const answer = answers[sql] ?? 1
        if (answer instanceof Error) throw answer
        events.push(`${sql} answered`)
        return { command: 'UPDATE', rowCount: answer, rows: [] }
      },
      release: () => events.push('released'),
    }),
  }
  return { events, pool: pool as unknown as PostgresPool }
}

describe('a batch of statements for PostgreSQL', () => {
  it('sends statements up to the decisive one first, and the rest with the commit', async () => {
    const { events, pool } = fakePool()
    assert.deepEqual(await runPipelinedBatch(pool, statements, 1), [])
    assert.deepEqual(events.slice(0, 3), ['begin', 'first 5', 'second 6'])
    assert.deepEqual(events.slice(6, 8), ['third 5', 'commit'])
    assert.equal(events.at(-1), 'released')
  })

  it('sends no further statement if the decisive one changes no row, and writes nothing', async () => {
    const { events, pool } = fakePool({ first: 0 })
    assert.equal(await runPipelinedBatch(pool, statements), undefined)
    assert.deepEqual(events.slice(4), ['rollback', 'rollback answered', 'released'])
  })

  const [one, two] = [new Error('one'), new Error('two')]
  const failures: readonly [string, Record<string, Error>, Error][] = [
    ['begin', { begin: one, first: two }, one],
    ['the first statement', { first: one, second: two }, one],
    ['a later statement', { second: one, third: two }, one],
    ['commit', { commit: one }, one],
    ['a statement and the rollback', { second: one, rollback: two }, one],
  ]
  for (const [what, answers, expected] of failures)
    it(`throws the first error, and releases its connection, when ${what} fails`, async () => {
      const { events, pool } = fakePool(answers)
      await assert.rejects(runPipelinedBatch(pool, statements), expected)
      assert.equal(events.at(-1), 'released')
      assert.ok(events.includes('rollback'))
    })
})
