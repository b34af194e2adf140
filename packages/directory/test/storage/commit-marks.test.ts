import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { memoryDatabase } from '../../../../fixtures/directory/memory-database.ts'
import { tenant } from '../../../../fixtures/directory/sample.ts'
import { commitAt, markAt } from '../../../../fixtures/directory/sample-commit.ts'
import { wholeDirectory } from '../../../../fixtures/directory/whole-directory.ts'
import { DirectoryStore } from '../../src/live/directory-store.ts'
import { put } from '../../src/model/directory-change.ts'
import { sqlStorage } from '../../src/storage/storage.ts'

async function freshDatabase() {
  const { side, database } = await memoryDatabase()
  /** A commit as the release before marks made it. */
  const commitWithoutMark = () =>
    side.exec("update revision set number = number + 1 where log = 'directory'")
  return { storage: sqlStorage(database), commitWithoutMark }
}

const change = (displayName: string) => [put('tenant', tenant({ displayName }))]

describe('commits without marks, of servers of the release before (AS37)', () => {
  it('are followed without a reversal, also between commits with marks', async () => {
    const { storage, commitWithoutMark } = await freshDatabase()
    const reversals: unknown[] = []
    const store = new DirectoryStore({
      log: storage.directory,
      onReversal: (...reversal) => void reversals.push(reversal),
    })
    for (const displayName of ['first', 'second']) {
      await store.update(() => ({ changes: change(displayName), audit: [], result: undefined }))
      commitWithoutMark()
      await store.refresh()
      commitWithoutMark()
    }
    const directory = await wholeDirectory(store)
    assert.equal(directory.revision, 6)
    assert.equal(directory.tenant(tenant().id)?.displayName, 'second')
    assert.deepEqual(reversals, [])
    await storage.close()
  })

  const unmarked = { revision: 2, mark: null }
  it('are a base for the next commit, and for no follower of a commit with a mark', async () => {
    const { storage, commitWithoutMark } = await freshDatabase()
    const { directory } = storage
    await directory.commit(commitAt(0), markAt(1), change('first'), [])
    commitWithoutMark()
    assert.deepEqual((await directory.changesAfter(commitAt(1))).latest, unmarked)
    assert.equal((await directory.changesAfter(commitAt(2))).hasKnown, false)
    assert.equal(await directory.commit(commitAt(2), markAt(3), [], []), 'conflict')
    assert.equal(await directory.commit(unmarked, markAt(3), [], []), 'committed')
    await storage.close()
  })
})
