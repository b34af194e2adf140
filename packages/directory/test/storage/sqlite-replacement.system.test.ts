import assert from 'node:assert/strict'
import { copyFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { after, beforeEach, describe, it } from 'node:test'
import { openLocalStorage } from '../../../../test/fixtures/directory/local-storage.ts'
import { tenant } from '../../../../test/fixtures/directory/sample.ts'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { newMark } from '../../src/live/commit.ts'
import { put } from '../../src/model/directory-change.ts'
import type { Storage } from '../../src/storage/storage.ts'

let dataDir: string
/** A copy of the file as it was after its first commit. */
let copy: string
let storage: Storage
const opened: Storage[] = []

const open = async () => {
  const one = await openLocalStorage({ dataDir })
  opened.push(one)
  return one
}
const file = (ending = '') => join(dataDir, `greeting.sqlite${ending}`)
const commit = async (one: Storage, displayName: string) =>
  one.directory.commit(
    (await one.directory.changesAfter()).latest,
    newMark(),
    [put('tenant', tenant({ displayName }))],
    [],
  )
const nameIn = async (one: Storage) => {
  const { changes: [change] = [] } = await one.directory.changesAfter()
  return change?.value && 'displayName' in change.value ? change.value.displayName : undefined
}
const removeCompanions = () =>
  Promise.all(['-wal', '-shm'].map((ending) => rm(file(ending), { force: true })))

after(async () => {
  for (const one of opened) await one.close()
})

describe('a data file that is replaced while servers use it (AS37)', () => {
  // A hook at the root of the file would run before every test of the process.
  beforeEach(async () => {
    dataDir = freshFolder()
    copy = join(dataDir, 'copy.sqlite')
    storage = await open()
    await commit(storage, 'first')
    const source = new DatabaseSync(file(), { readOnly: true })
    await backup(source, copy)
    source.close()
    await commit(storage, 'second')
  })

  it('is read and written by all servers in its new state', async () => {
    const other = await open()
    assert.equal(await nameIn(other), 'second')
    const { latest } = await storage.directory.changesAfter()
    await removeCompanions()
    await rename(copy, file())
    assert.equal((await storage.directory.changesAfter(latest)).hasKnown, false)
    assert.equal(await nameIn(storage), 'first')
    assert.equal(await nameIn(other), 'first')
    assert.notEqual(await commit(storage, 'third'), 'conflict')
    assert.equal(await nameIn(other), 'third')
    assert.notEqual(await commit(other, 'fourth'), 'conflict')
    assert.equal(await nameIn(storage), 'fourth')
    assert.equal(await nameIn(await open()), 'fourth')
  })

  it('is not opened while the log of the former file exists', async () => {
    await rename(copy, file())
    const unusable = {
      code: 'storage_unavailable',
      message:
        /^The data file \S+ was replaced, and \S+-wal and \S+-shm still belong [^\n]+: remove them\.$/,
    }
    const { latest } = { latest: { revision: 1, mark: null } }
    await assert.rejects(storage.directory.changesAfter(), unusable)
    await assert.rejects(storage.directory.commit(latest, newMark(), [], []), unusable)
    await removeCompanions()
    assert.equal(await nameIn(storage), 'first')
    assert.notEqual(await commit(storage, 'third'), 'conflict')
  })

  it('is reported as missing while it is absent, and used again when it returns', async () => {
    await rename(file(), file('.aside'))
    await assert.rejects(storage.directory.changesAfter(), {
      code: 'storage_unavailable',
      message: `The data file ${file()} is gone.`,
    })
    await rename(file('.aside'), file())
    assert.equal(await nameIn(storage), 'second')
  })

  it('is read again after a backup is restored into it', async () => {
    const { latest } = await storage.directory.changesAfter()
    const source = new DatabaseSync(copy, { readOnly: true })
    await backup(source, file())
    source.close()
    assert.equal((await storage.directory.changesAfter(latest)).hasKnown, false)
    assert.equal(await nameIn(storage), 'first')
    assert.notEqual(await commit(storage, 'third'), 'conflict')
  })

  const unfit: [string, (path: string) => unknown, RegExp][] = [
    [
      'from the release before commit marks',
      (path) => {
        const older = new DatabaseSync(path)
        older.exec('drop table commit_mark')
        older.close()
      },
      /does not have the tables of this release: start the server again\.$/,
    ],
    [
      'that is not a database',
      (path) => copyFile(import.meta.filename, path),
      /is not a database of this server, or damaged: restore it from a backup\.$/,
    ],
  ]
  for (const [what, spoil, message] of unfit) {
    it(`is refused in one sentence if it is a file ${what}`, async () => {
      await spoil(copy)
      await removeCompanions()
      await rename(copy, file())
      for (let attempt = 0; attempt < 2; attempt += 1)
        await assert.rejects(storage.directory.changesAfter(), {
          code: 'storage_unavailable',
          message,
        })
    })
  }
})
