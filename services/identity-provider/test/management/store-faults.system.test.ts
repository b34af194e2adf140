import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, before, describe, it } from 'node:test'
import { DirectoryStore } from '@greeting/directory/live'
import { type Storage, sqliteDatabase, sqlStorage } from '@greeting/directory/storage'
import { delegatingLog } from '../../../../test/fixtures/directory/delegating-log.ts'
import { canary, sampleWrites, writes } from './sample-writes.ts'

const events = ['insert', 'update', 'delete'] as const

/** A trigger in the database makes one statement of one transaction fail. */
describe('a change with one failing statement (FL21)', () => {
  let storage: Storage
  let sample: Awaited<ReturnType<typeof sampleWrites>>
  let saved: Uint8Array
  // In memory, because a disk would take minutes here. sqlite-faults.system.test.ts tests the disk.
  before(async () => {
    const side = new DatabaseSync(':memory:')
    const database = sqliteDatabase(side, ':memory:')
    await database.migrate()
    storage = sqlStorage(database)
    const log = delegatingLog(() => storage.directory)
    sample = await sampleWrites(new DirectoryStore({ log }))
    saved = side.serialize()
    await storage.close()
  })
  afterEach(() => storage.close())

  for (const [name, write] of Object.entries(writes)) {
    it(`${name} is stored completely or not at all`, async () => {
      const side = new DatabaseSync(':memory:')
      side.deserialize(saved)
      storage = sqlStorage(sqliteDatabase(side, ':memory:'))
      await sample.store.refresh()
      const tables = side
        .prepare("select name from pragma_table_list where schema = 'main' and type = 'table'")
        .all()
        .map(({ name }) => String(name))
        .filter((table) => !table.startsWith('sqlite_'))
      const state = () =>
        tables.map((table) => side.prepare(`select * from ${table} order by 1, 2`).all())
      const before = state()
      // Each attempt fails at its first statement that has not failed before.
      const failed: string[] = []
      side.function('fails', (statement) => {
        if (failed.includes(String(statement))) return 0
        failed.push(String(statement))
        return 1
      })
      for (const table of tables)
        for (const event of events)
          side.exec(
            `create trigger fault_${event}_${table} before ${event} on ${table}
             when fails('${event} on ${table}') begin select raise(abort, '${canary}'); end`,
          )
      for (;;) {
        const known = failed.length
        const { body, status } = await write(sample)
        if (failed.length === known) {
          assert.ok(status < 300, `${status} when no statement fails`)
          break
        }
        const statement = failed.at(-1)
        assert.equal(failed.length, known + 1, 'nothing is written after the failure')
        assert.ok(status >= 500, `${status} when ${statement} fails`)
        assert.ok(!JSON.stringify(body).includes(canary))
        assert.deepEqual(state(), before, `nothing is left when ${statement} fails`)
      }
      assert.ok(failed.length >= 3, 'the object, the revision and the audit at least')
    })
  }
})
