import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, beforeEach, describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { sql } from 'kysely'
import { freshFolder } from '../../../../../test/fixtures/fresh-folder.ts'
import { beginning } from '../../../src/live/commit.ts'
import {
  maxBytesOfShortQueries,
  openSqliteDatabase,
} from '../../../src/storage/sqlite/sqlite-database.ts'
import { type NewWorker, SqliteThread } from '../../../src/storage/sqlite/sqlite-thread.ts'

const statement = (sql: string, parameters: readonly unknown[] = [], isInTransaction = false) => ({
  sql,
  parameters,
  isInTransaction,
})
const workerUrl = new URL('../../../src/storage/sqlite/sqlite-worker.ts', import.meta.url)

describe('a thread with a connection to a data file', () => {
  const folder = freshFolder()
  let path: string
  let started: Worker[]
  let thread: SqliteThread
  const startWorker: NewWorker = (workerData) => {
    const worker = new Worker(workerUrl, { workerData })
    started.push(worker)
    return worker
  }

  before(async () => {
    path = join(folder, 'a.sqlite')
    const file = new DatabaseSync(path)
    file.exec('create table item (name text primary key, size integer)')
    file.close()
  })
  beforeEach((t) => {
    started = []
    thread = new SqliteThread({ path, role: 'writer' }, startWorker)
    if ('after' in t) t.after(() => thread.close())
  })

  it('runs statements in the order of the calls and returns rows and counts', async () => {
    const answers = await Promise.all([
      thread.execute(statement('delete from item')),
      thread.execute(statement('insert into item values (?, ?), (?, ?)', ['a', 1, 'b', null])),
      thread.execute(statement('select name, size from item order by name')),
    ])
    assert.equal(answers[1]?.changes, 2)
    assert.deepEqual(answers[2], {
      columns: ['name', 'size'],
      rows: [
        ['a', 1],
        ['b', null],
      ],
      changes: 0,
    })
    assert.equal(started.length, 1)
  })

  it('passes on SQLite error codes', async () => {
    await thread.execute(statement('delete from item'))
    await thread.execute(statement('insert into item values (?, ?)', ['a', 1]))
    await assert.rejects(thread.execute(statement('insert into item values (?, ?)', ['a', 2])), {
      code: 'ERR_SQLITE_ERROR',
      errcode: 1555,
      message: 'UNIQUE constraint failed: item.name',
    })
    await assert.rejects(thread.execute(statement('select ?, ?', [1, {}])), TypeError)
  })

  const insert = (name: string) => ({ sql: 'insert into item values (?, 1)', parameters: [name] })
  const update = { sql: 'update item set size = 2 where name = ?', parameters: ['a'] }
  const namesIn = async () =>
    (await thread.execute(statement('select name from item order by name'))).rows.flat()

  it('writes the statements of a batch together', async () => {
    await thread.execute(statement('delete from item'))
    const { changes } = await thread.executeBatch({ batch: [insert('a'), insert('b')] })
    assert.equal(changes, 1)
    assert.deepEqual(await namesIn(), ['a', 'b'])
  })

  it('writes nothing of a batch if its first statement changes no row', async () => {
    await thread.execute(statement('delete from item'))
    const { changes } = await thread.executeBatch({ batch: [update, insert('b')] })
    assert.equal(changes, 0)
    assert.deepEqual(await namesIn(), [])
  })

  it('writes nothing of a batch if one of its statements fails', async () => {
    await thread.execute(statement('delete from item'))
    await assert.rejects(thread.executeBatch({ batch: [insert('a'), insert('b'), insert('a')] }), {
      errcode: 1555,
    })
    assert.deepEqual(await namesIn(), [])
    await thread.executeBatch({ batch: [insert('c')] })
    assert.deepEqual(await namesIn(), ['c'])
  })

  it("runs a follower's query between the statements around it", async () => {
    const folderOfStore = freshFolder()
    const file = join(folderOfStore, 'greeting.sqlite')
    await (await openSqliteDatabase(file)).close()
    const reader = new SqliteThread({ path: file, role: 'reader' })
    const lookups = [{ name: 'application', key: 'none' }] as const
    const order: string[] = []
    const [before, found, later] = await Promise.all([
      reader.execute(statement('select 1')).finally(() => order.push('before')),
      reader.changes({ known: beginning, lookups }).finally(() => order.push('found')),
      reader.execute(statement('select 2')).finally(() => order.push('later')),
    ])
    assert.deepEqual([before.rows, later.rows], [[[1]], [[2]]])
    assert.deepEqual(found.loaded, [{ name: 'application', key: 'none', objects: [] }])
    assert.deepEqual(order, ['before', 'found', 'later'])
    await reader.close()
  })

  it("passes on a query's error, and runs the next statement", async () => {
    await assert.rejects(thread.changes({ known: beginning, lookups: [] }), {
      code: 'ERR_SQLITE_ERROR',
      message: 'no such table: commit_mark',
    })
    assert.deepEqual((await thread.execute(statement('select 1'))).rows, [[1]])
  })

  it('fails its pending statements when it exits, and the next statement starts another thread', async () => {
    await thread.execute(statement('delete from item'))
    await thread.execute(statement('begin immediate'))
    await thread.execute(statement('insert into item values (?, ?)', ['a', 1], true))
    const ended = assert.rejects(
      thread.execute(
        statement(
          // A thread ends after its statement, so this one must have an end.
          'with recursive n(i) as (select 1 union all select i + 1 from n limit 2000000) select count(*) from n',
          [],
          true,
        ),
      ),
      {
        code: 'storage_unavailable',
        message: `The thread of the data file ${path} ended unexpectedly.`,
      },
    )
    started[0]?.terminate()
    await ended
    // The rest of the transaction must not be written without its beginning.
    await assert.rejects(
      thread.execute(statement('insert into item values (?, ?)', ['b', 1], true)),
      /the transaction of this statement has ended/,
    )
    await thread.execute(statement('rollback', [], true))
    assert.deepEqual((await thread.execute(statement('select * from item'))).rows, [])
    assert.equal(started.length, 2, 'the second thread opened the file again')
  })

  it('exits after an idle time, and the next statement starts another thread', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const idle = new SqliteThread({ path, role: 'reader' }, startWorker, 30_000)
    await idle.execute(statement('select 1'))
    const [first] = started
    const ended = first && once(first, 'exit')
    t.mock.timers.tick(30_000)
    // The first thread is still ending.
    assert.deepEqual((await idle.execute(statement('select 2'))).rows, [[2]])
    assert.equal(started.length, 2)
    assert.deepEqual(await ended, [0])
    await idle.close()
  })

  it("runs an operator's queries only if the file is large", async () => {
    const database = await openSqliteDatabase(join(folder, 'large.sqlite'), {
      newWorker: startWorker,
    })
    const query = () => database.report((db) => sql`select 1`.execute(db))
    await query()
    assert.equal(started.length, 2)
    await database.write((db) => sql`create table large (bytes blob)`.execute(db))
    const bytes = Buffer.alloc(maxBytesOfShortQueries)
    await database.write((db) => sql`insert into large values (${bytes})`.execute(db))
    await query()
    assert.equal(started.length, 3)
    await database.close()
  })

  it('fails a query that needs too much memory', async () => {
    const small = new SqliteThread({ path, role: 'reader' }, (workerData) => {
      return new Worker(workerUrl, { workerData, resourceLimits: { maxOldGenerationSizeMb: 16 } })
    })
    const many = 'with recursive n(i) as (select 1 union all select i + 1 from n limit 300000)'
    await assert.rejects(small.execute(statement(`${many} select i, 'x' || i from n`)), {
      code: 'storage_unavailable',
    })
    assert.deepEqual((await small.execute(statement('select 1'))).rows, [[1]])
    await small.close()
  })

  it('refuses statements after it is closed', async () => {
    await thread.execute(statement('select 1'))
    await thread.close()
    await assert.rejects(thread.execute(statement('select 1')), { code: 'storage_unavailable' })
  })

  it('does not block the calling thread', async () => {
    let turns = 0
    const ticker = setInterval(() => {
      turns += 1
    }, 1)
    const many = 'with recursive n(i) as (select 1 union all select i + 1 from n limit 200000)'
    await thread.execute(statement(`${many} select count(*) from n`))
    clearInterval(ticker)
    assert.ok(turns > 3, `the event loop turned ${turns} times`)
  })
})
