import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { cp, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { openLocalStorage } from '../../../../../test/fixtures/directory/local-storage.ts'
import { freshFolder } from '../../../../../test/fixtures/fresh-folder.ts'
import type { SqlDatabase } from '../../../src/storage/sql/sql-database.ts'
import { removeAbandonedDrafts } from '../../../src/storage/sqlite/abandoned-drafts.ts'
import { createFile } from '../../../src/storage/sqlite/create-file.ts'
import { sqliteDatabase } from '../../../src/storage/sqlite/sqlite-database.ts'

const longAgo = new Date('2020-01-01')
const draftsIn = async (dataDir: string) =>
  (await readdir(dataDir)).filter((name) => /^greeting\.sqlite\.[0-9a-f-]{36}/.test(name)).sort()

async function age(dataDir: string) {
  for (const name of await readdir(dataDir)) await utimes(join(dataDir, name), longAgo, longAgo)
}

/** A draft with a write-ahead log, as a process leaves it that was killed while it filled it. */
async function leaveDraft(dataDir: string) {
  const running = join(freshFolder(), 'running.sqlite')
  const database = new DatabaseSync(running)
  database.exec('pragma journal_mode = wal; create table one (two)')
  const draft = join(dataDir, `greeting.sqlite.${randomUUID()}`)
  for (const part of ['', '-wal', '-shm']) await cp(running + part, draft + part)
  database.close()
}

const restoreInto = (dataDir: string) =>
  createFile(join(dataDir, 'greeting.sqlite'), (draft) => sqliteDatabase(draft, 'x'))

const nextSteps: Readonly<Record<string, (dataDir: string) => Promise<unknown>>> = {
  restore: restoreInto,
  'first start': async (dataDir) => (await openLocalStorage({ dataDir })).close(),
}

describe('the drafts of a data file', () => {
  for (const [step, take] of Object.entries(nextSteps))
    it(`are removed by the next ${step} if their process was killed`, async () => {
      const dataDir = freshFolder()
      await leaveDraft(dataDir)
      await leaveDraft(dataDir)
      await writeFile(join(dataDir, `greeting.sqlite.${randomUUID()}`), '')
      await writeFile(join(dataDir, `greeting.sqlite.${randomUUID()}-wal`), 'x')
      assert.equal((await draftsIn(dataDir)).length, 8)
      await age(dataDir)
      await take(dataDir)
      assert.deepEqual(await draftsIn(dataDir), [])
    })

  it('are removed at the start with an existing data file', async () => {
    const dataDir = freshFolder()
    await (await openLocalStorage({ dataDir })).close()
    await leaveDraft(dataDir)
    await age(dataDir)
    await (await openLocalStorage({ dataDir })).close()
    assert.deepEqual(await draftsIn(dataDir), [])
  })

  it('stay while a process has them open, and briefly after the last write', async () => {
    const dataDir = freshFolder()
    const path = join(dataDir, 'greeting.sqlite')
    await leaveDraft(dataDir)
    const recent = await draftsIn(dataDir)
    const fill = async (database: SqlDatabase) => {
      await database.migrate()
      const all = await draftsIn(dataDir)
      assert.ok(all.length > recent.length)
      await age(dataDir)
      for (const name of recent) await utimes(join(dataDir, name), new Date(), new Date())
      await removeAbandonedDrafts(path)
      assert.deepEqual(await draftsIn(dataDir), all)
      await age(dataDir)
      await removeAbandonedDrafts(path)
      assert.deepEqual(
        await draftsIn(dataDir),
        all.filter((name) => !recent.includes(name)),
      )
    }
    assert.ok(await createFile(path, (draft) => sqliteDatabase(draft, path), fill))
  })

  it("are only files with a draft's name", async () => {
    const dataDir = freshFolder()
    const others = ['greeting.sqlite.bak', `other.sqlite.${randomUUID()}`, 'greeting.sqlite.old-1']
    for (const name of others) await writeFile(join(dataDir, name), 'mine')
    await age(dataDir)
    await (await openLocalStorage({ dataDir })).close()
    const names = await readdir(dataDir)
    assert.ok(others.every((name) => names.includes(name)))
  })
})
