import assert from 'node:assert/strict'
import { cp, open, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openLocalStorage } from '../../../../../test/fixtures/directory/local-storage.ts'
import { freshFolder } from '../../../../../test/fixtures/fresh-folder.ts'
import { maxBytesCheckedAtOpen } from '../../../src/storage/sqlite/sqlite-connection.ts'
import { openSqliteDatabase } from '../../../src/storage/sqlite/sqlite-database.ts'
import { openStorage, sqlStorage } from '../../../src/storage/storage.ts'

const pageBytes = 4096

describe('a data file that is too large for a full check when it is opened', () => {
  const folder = freshFolder()
  let sample: string
  /** The page of the audit that the tests damage. */
  let auditPage: number

  before(async () => {
    sample = join(folder, 'sample')
    await (await openLocalStorage({ dataDir: sample })).close()
    const file = new DatabaseSync(join(sample, 'greeting.sqlite'))
    const rows = Math.ceil((1.2 * maxBytesCheckedAtOpen) / 3000)
    file.exec(`
      with recursive n(i) as (select 1 union all select i + 1 from n limit ${rows})
      insert into sign_in_audit (id, at, actor, action, outcome)
      select printf('%08d', i), '', printf('%.*c', 3000, 'x'), 'token.issue', 'done' from n`)
    auditPage = Number(Object.values(file.prepare('pragma page_count').get() ?? {})[0]) - 100
    file.close()
    assert.ok((await stat(join(sample, 'greeting.sqlite'))).size > maxBytesCheckedAtOpen)
  })
  // A check of a closed file still ends its last table, and then removes files of its own.

  async function copyOf(name: string): Promise<string> {
    const dataDir = join(folder, name)
    await cp(sample, dataDir, { recursive: true })
    return dataDir
  }

  it('is refused when it is opened if its last part is missing', async () => {
    const dataDir = await copyOf('short')
    const path = join(dataDir, 'greeting.sqlite')
    await truncate(path, (await stat(path)).size - pageBytes)
    await assert.rejects(openStorage({ dataDir }), {
      code: 'storage_unavailable',
      message: `The data file ${path} is damaged: restore it from a backup.`,
    })
  })

  it('is refused later if the background check finds a damaged page', async () => {
    const dataDir = await copyOf('damaged')
    const path = join(dataDir, 'greeting.sqlite')
    const file = await open(path, 'r+')
    await file.write(Buffer.alloc(pageBytes, 0xa5), 0, pageBytes, (auditPage - 1) * pageBytes)
    await file.close()
    // `openStorage` makes queries too: on a busy machine they may be the first that fail.
    const storage = sqlStorage(await openSqliteDatabase(path))
    const failure = await untilFailing(() => storage.directory.changesAfter())
    assert.deepEqual(
      { code: failure.code, message: failure.message },
      {
        code: 'storage_unavailable',
        message: `The data file ${path} is damaged: restore it from a backup, and start the server again.`,
      },
    )
    await assert.rejects(storage.audit.find({ log: 'signIns', limit: 1 }), failure)
    await storage.close()
  })

  it('is usable if it is intact, and can be closed while the check runs', async () => {
    const storage = await openStorage({ dataDir: await copyOf('intact') })
    assert.equal((await storage.directory.changesAfter()).latest.revision, 0)
    await storage.close()
  })
})

async function untilFailing(query: () => Promise<unknown>): Promise<Error & { code: string }> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    try {
      await query()
    } catch (cause) {
      return cause as Error & { code: string }
    }
    await setTimeout(10)
  }
  throw new Error('the query still succeeds')
}
