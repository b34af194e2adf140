import assert from 'node:assert/strict'
import { cp, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { failToStartHere, startHere } from '../provider-here.ts'
import { requestToken } from '../provider-process.ts'

it('an identity provider whose store lost its log starts only with LOST_CHANGES=accept, and records the loss', async () => {
  const folder = freshFolder()
  const [dataDir, crashed] = [join(folder, 'before'), join(folder, 'after')]
  const provider = await startHere({ DATA_DIR: dataDir })
  await cp(dataDir, crashed, { recursive: true })
  await provider.stop()
  const log = join(crashed, 'greeting.sqlite-wal')
  await truncate(log, Math.floor((await stat(log)).size / 2))
  const ended = await failToStartHere({ DATA_DIR: crashed })
  assert.equal(ended.code, 1)
  assert.match(ended.stderr, /lacks acknowledged changes[^\n]+LOST_CHANGES=accept/)
  const accepted = await startHere({ DATA_DIR: crashed, LOST_CHANGES: 'accept' })
  assert.equal((await fetch(`${accepted.url}/readyz`)).status, 200)
  assert.ok((await requestToken(accepted.url, dataDir)).status < 500)
  const store = new DatabaseSync(join(crashed, 'greeting.sqlite'), { readOnly: true })
  const records = store.prepare(
    "select reason from directory_audit where action = 'storage.goBack'",
  )
  for (let wait = 0; records.all().length === 0 && wait < 250; wait += 1) await setTimeout(20)
  assert.match(String(records.all()[0]?.reason), /^followed to commit \d+, found commit \d+/)
  store.close()
  await accepted.stop()
})
