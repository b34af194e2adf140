import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { DirectoryStore } from '../../src/storage/directory-store.ts'
import { sqliteDatabase } from '../../src/storage/sqlite/sqlite-database.ts'
import { sqlStorage } from '../../src/storage/storage.ts'
import { canary, sampleWrites, writes } from './sample-writes.ts'

const events = ['insert', 'update', 'delete'] as const

/** A trigger in the database makes one statement of one transaction fail. */
describe('a change with one failing statement (FL21)', () => {
  // In memory, because a disk would take minutes here. sqlite-faults.test.ts tests the disk.
  async function freshDatabase() {
    const side = new DatabaseSync(':memory:')
    const database = sqliteDatabase(side, ':memory:')
    await database.migrate()
    const storage = sqlStorage(database)
    const sample = await sampleWrites(new DirectoryStore({ log: storage.directory }))
    side.exec('create table touched (statement text primary key)')
    const tables = side
      .prepare("select name from sqlite_master where type = 'table' and name <> 'touched'")
      .all()
      .map(({ name }) => String(name))
    return { sample, side, storage, tables }
  }

  for (const [name, write] of Object.entries(writes)) {
    it(`${name} is stored completely or not at all`, async () => {
      const learned = await freshDatabase()
      for (const table of learned.tables)
        for (const event of events)
          learned.side.exec(
            `create trigger learn_${event}_${table} after ${event} on ${table}
             begin insert or ignore into touched values ('${event} on ${table}'); end`,
          )
      assert.ok((await write(learned.sample)).status < 300)
      const statements = learned.side.prepare('select statement from touched').all()
      await learned.storage.close()
      assert.ok(statements.length >= 3, 'the object, the revision and the audit at least')

      const { sample, side, storage, tables } = await freshDatabase()
      const state = () =>
        tables.map((table) => side.prepare(`select * from ${table} order by 1, 2`).all())
      const before = state()
      for (const { statement } of statements) {
        side.exec(
          `create trigger fault before ${statement} begin select raise(abort, '${canary}'); end`,
        )
        const { body, status } = await write(sample)
        assert.ok(status >= 500, `${status} when ${statement} fails`)
        assert.ok(!JSON.stringify(body).includes(canary))
        assert.deepEqual(state(), before, `nothing is left when ${statement} fails`)
        side.exec('drop trigger fault')
      }
      assert.ok((await write(sample)).status < 300)
      await storage.close()
    })
  }
})
