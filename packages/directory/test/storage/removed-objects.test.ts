import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { openLocalStorage } from '../../../../test/fixtures/directory/local-storage.ts'
import { application, tenant } from '../../../../test/fixtures/directory/sample.ts'
import { commitAt, markAt } from '../../../../test/fixtures/directory/sample-commit.ts'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { put, remove } from '../../src/model/directory-change.ts'

it('the store prunes records of removed objects that no follower needs', async () => {
  const dataDir = freshFolder()
  const storage = await openLocalStorage({ dataDir })
  const { directory } = storage
  const objects = [
    put('tenant', tenant({ id: 'old' })),
    put('application', application({ id: 'new' })),
  ]
  await directory.commit(commitAt(0), markAt(1), objects, [])
  await directory.commit(commitAt(1), markAt(2), [remove('tenant', 'old')], [])
  const database = new DatabaseSync(join(dataDir, 'greeting.sqlite'))
  const removed = () =>
    database
      .prepare('select id from removed_object')
      .all()
      .map(({ id }) => id)
  await directory.prune()
  assert.deepEqual(removed(), ['old'])
  database.exec("insert into commit_mark values ('directory', 20000, 'mark 20000')")
  const known = commitAt(20_000)
  await directory.commit(known, markAt(20_001), [remove('application', 'new')], [])
  await directory.prune()
  assert.deepEqual(removed(), ['new'])
  assert.equal((await directory.changesAfter(commitAt(1))).changes, undefined, 'too far behind')
  assert.deepEqual(
    (await directory.changesAfter(known)).changes?.map(({ id }) => id),
    ['new'],
  )
  database.close()
  await storage.close()
})
