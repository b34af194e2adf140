import assert from 'node:assert/strict'
import { cp, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openLocalStorage } from '../../../../test/fixtures/directory/local-storage.ts'
import { application, appRole, guid, tenant } from '../../../../test/fixtures/directory/sample.ts'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { beginning } from '../../src/live/commit.ts'
import { put } from '../../src/model/directory-change.ts'
import { sqliteDatabase } from '../../src/storage/sqlite/sqlite-database.ts'
import { openStorage, type Storage, sqlStorage } from '../../src/storage/storage.ts'

/** The first commit of every test. */
const first = { revision: 1, mark: 'first' }

const folder = freshFolder()
let count = 0
/** A folder with a data file of several pages. */
let sample: string

/** What a store leaves when it is closed. */
const filesOfStore = ['greeting.sqlite', 'greeting.sqlite-acknowledged']

const freshDir = () => join(folder, `data-${++count}`)
const fileIn = (dataDir: string) => join(dataDir, 'greeting.sqlite')

const roles = Array.from({ length: 200 }, (_, index) => appRole({ id: guid(index) }))

before(async () => {
  sample = freshDir()
  const storage = await openLocalStorage({ dataDir: sample })
  await storage.directory.commit(
    beginning,
    'first',
    [put('tenant', tenant()), put('application', application({ appRoles: roles }))],
    [],
  )
  await storage.close()
})

/** A copy of the sample, damaged. */
async function damaged(damage: (file: string) => Promise<unknown>): Promise<string> {
  const dataDir = freshDir()
  await cp(sample, dataDir, { recursive: true })
  await damage(fileIn(dataDir))
  return dataDir
}

const overwrite = (at: number, length: number) => async (file: string) => {
  const bytes = await readFile(file)
  bytes.fill(0xa5, at, at + length)
  await writeFile(file, bytes)
}

describe('a data file', () => {
  it('is created with mode 0600, and stays unchanged when it is opened again', async () => {
    const dataDir = freshDir()
    await (await openLocalStorage({ dataDir })).close()
    assert.equal((await stat(fileIn(dataDir))).mode & 0o777, 0o600)
    assert.equal((await stat(dataDir)).mode & 0o777, 0o700)
    const storage = await openLocalStorage({ dataDir })
    assert.equal((await storage.directory.changesAfter()).latest.revision, 0)
    await storage.close()
    await (await openLocalStorage({ dataDir })).close()
    assert.deepEqual(await readdir(dataDir), filesOfStore, 'an unused store is closed too')
  })

  it('is complete from the start, even if SQLite did not delete its log on close', async (t) => {
    const dataDir = freshDir()
    const close = DatabaseSync.prototype.close
    t.mock.method(DatabaseSync.prototype, 'close', function (this: DatabaseSync) {
      // SQLite leaves the log, without an error, when the disk is full or another connection is open.
      const other = new DatabaseSync(String(this.location()))
      other.prepare('select * from sqlite_master').all()
      close.call(this)
    })
    const storage = await openLocalStorage({ dataDir })
    t.mock.restoreAll()
    assert.equal((await storage.directory.changesAfter()).latest.revision, 0)
    await storage.close()
    await (await openLocalStorage({ dataDir })).close()
  })

  it('is not created if the disk has no space for its log', async (t) => {
    const dataDir = freshDir()
    const prepare = DatabaseSync.prototype.prepare
    t.mock.method(DatabaseSync.prototype, 'prepare', function (this: DatabaseSync, sql: string) {
      if (!sql.includes('wal_checkpoint')) return prepare.call(this, sql)
      throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
    })
    await assert.rejects(openLocalStorage({ dataDir }), {
      code: 'storage_unavailable',
      message: `The data file ${fileIn(dataDir)} cannot grow: the disk is full.`,
    })
    assert.deepEqual(await readdir(dataDir), [])
    t.mock.restoreAll()
    await (await openLocalStorage({ dataDir })).close()
  })

  it('is created once by servers that start simultaneously, and no temporary file remains', async () => {
    const dataDir = freshDir()
    const servers = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        await setTimeout(index * 3)
        return openStorage({ dataDir })
      }),
    )
    await servers[0]?.directory.commit(beginning, 'first', [put('tenant', tenant())], [])
    for (const { directory } of servers) {
      assert.equal((await directory.changesAfter()).latest.revision, 1)
    }
    // One after the other: of connections that close at the same time, none may see that it is the last.
    for (const server of servers) await server.close()
    assert.deepEqual(await readdir(dataDir), filesOfStore)
  })

  for (const [what, damage] of [
    ['is empty', (file: string) => truncate(file, 0)],
    ['ends in its header', (file: string) => truncate(file, 50)],
    ['lacks its last page', async (file: string) => truncate(file, (await stat(file)).size - 4096)],
    ['lacks its second half', async (file: string) => truncate(file, (await stat(file)).size / 2)],
    ['begins with other data', overwrite(0, 16)],
    ['has a damaged schema', overwrite(100, 200)],
    ['has a damaged page', overwrite(3 * 4096, 4096)],
    ['is a text file', (file: string) => writeFile(file, 'keys:\n  - one\n'.repeat(500))],
  ] as const) {
    it(`is refused in one sentence, and not changed, if it ${what}`, async () => {
      const dataDir = await damaged(damage)
      const before = await readFile(fileIn(dataDir))
      await assert.rejects(openLocalStorage({ dataDir }), {
        code: 'storage_unavailable',
        message:
          /^The data file \S+ (has 0 bytes, so its data is lost: move it away, then restore a backup|is (not a database .* or )?damaged: restore it from a backup\b[^\n]*)\.$/,
      })
      assert.deepEqual(await readFile(fileIn(dataDir)), before)
    })
  }

  it('is refused in one sentence, and not changed, if a later release removed a part', async () => {
    const dataDir = await damaged(async (file) => {
      const database = new DatabaseSync(file)
      database.exec("insert into kysely_migration values ('2999-01-01-later-contract', '')")
      database.close()
    })
    await assert.rejects(openLocalStorage({ dataDir }), {
      code: 'storage_unavailable',
      message:
        'A later release changed the tables of this store (2999-01-01-later-contract): start that release, or restore a backup of this one.',
    })
  })

  it('is refused in one sentence if its folder cannot be created', async () => {
    const file = join(folder, 'a-file')
    await writeFile(file, '')
    for (const dataDir of [file, join(file, 'below')]) {
      await assert.rejects(openLocalStorage({ dataDir }), {
        code: 'storage_unavailable',
        message: /^The data file \S+ cannot be used: (ENOTDIR|EEXIST): [^\n]+$/,
      })
    }
  })

  it('causes a separate error message, without blocking, if another process locks it for too long', async () => {
    const dataDir = freshDir()
    await (await openLocalStorage({ dataDir })).close()
    const holder = new DatabaseSync(fileIn(dataDir))
    holder.exec('begin immediate')
    const storage = sqlStorage(
      sqliteDatabase(new DatabaseSync(fileIn(dataDir)), 'x.sqlite', { maxWaitMs: 100 }),
    )
    let turns = 0
    const ticker = setInterval(() => {
      turns += 1
    }, 1)
    const commit = storage.directory.commit(beginning, 'first', [put('tenant', tenant())], [])
    await assert.rejects(commit, {
      code: 'storage_unavailable',
      message: 'The data file x.sqlite is locked by another process.',
    })
    clearInterval(ticker)
    assert.ok(turns > 0)
    holder.exec('rollback')
    assert.notEqual(
      await storage.directory.commit(beginning, 'first', [put('tenant', tenant())], []),
      'conflict',
    )
    holder.close()
    await storage.close()
  })
})

describe("a data file during another process's write (FL18)", () => {
  it('can be read immediately, while another write waits', async () => {
    const dataDir = freshDir()
    const storage = await openStorage({ dataDir })
    const holder = new DatabaseSync(fileIn(dataDir))
    holder.exec('begin immediate')
    const order: string[] = []
    const writing = storage.directory
      .commit(beginning, 'first', [put('tenant', tenant())], [])
      .then((outcome) => {
        order.push(outcome === 'conflict' ? outcome : `commit ${outcome.revision}`)
      })
    for (let read = 0; read < 3; read += 1) {
      order.push(`revision ${(await storage.directory.changesAfter()).latest.revision}`)
      assert.equal((await storage.keyRing.read()).latest.revision, 0)
    }
    holder.exec('rollback')
    await writing
    assert.deepEqual(order, ['revision 0', 'revision 0', 'revision 0', 'commit 1'])
    assert.equal((await storage.directory.changesAfter()).latest.revision, 1)
    holder.close()
    await storage.close()
    assert.deepEqual(await readdir(dataDir), filesOfStore)
  })
})

describe('a full disk (FL17)', () => {
  it('fails a write completely in one sentence, permits reads, and permits writes once there is space', async () => {
    const dataDir = await damaged(async () => undefined)
    const connection = new DatabaseSync(fileIn(dataDir))
    const pages = Object.values(connection.prepare('pragma page_count').get() ?? {})[0]
    connection.exec(`pragma max_page_count = ${pages}`)
    const storage = sqlStorage(sqliteDatabase(connection, 'x.sqlite'))

    const many = roles.map(({ id }) => put('tenant', tenant({ id, displayName: 'x'.repeat(500) })))
    const full = {
      code: 'storage_unavailable',
      message: 'The data file x.sqlite cannot grow: the disk is full.',
    }
    await assert.rejects(storage.directory.commit(first, 'second', many, []), full)
    assert.equal((await storage.directory.changesAfter()).latest.revision, 1)
    assert.equal((await storage.directory.changesAfter()).changes?.length, 2)

    connection.exec('pragma max_page_count = 100000')
    assert.notEqual(await storage.directory.commit(first, 'second', many, []), 'conflict')
    await storage.close()
  })
})

describe('a statement that fails in the middle of a commit (FL21)', () => {
  const everything = application({
    appRoles: [appRole()],
    passwordCredentials: [
      {
        keyId: guid(1),
        displayName: null,
        hint: 'abc',
        startDateTime: new Date(0),
        endDateTime: new Date(0),
        secretSha256: new Uint8Array(32),
      },
    ],
  })
  const record = {
    at: new Date(),
    tenantId: null,
    actor: 'an administrator',
    action: 'application.update',
    target: everything.id,
    outcome: 'done',
    reason: null,
    correlationId: null,
  } as const

  let dataDir: string
  let storage: Storage
  before(async () => {
    dataDir = freshDir()
    storage = await openLocalStorage({ dataDir })
    await storage.directory.commit(beginning, 'first', [put('application', everything)], [record])
  })
  after(() => storage.close())
  const recorded = async () =>
    (await storage.audit.find({ log: 'directory', limit: 100 })).records.length

  for (const [table, event] of [
    ['revision', 'update'],
    ['application', 'insert'],
    ['application', 'delete'],
    ['app_role', 'insert'],
    ['password_credential', 'insert'],
    ['directory_audit', 'insert'],
  ] as const) {
    it(`stores nothing of the commit: ${event} of ${table}`, async () => {
      const before = await storage.directory.changesAfter()
      const recordedBefore = await recorded()
      const commit = (displayName: string) =>
        storage.directory.commit(
          before.latest,
          `${event} of ${table}`,
          [put('application', { ...everything, displayName })],
          [record],
        )
      const saboteur = new DatabaseSync(fileIn(dataDir))
      saboteur.exec(
        `create trigger sabotage before ${event} on ${table} begin select raise(abort, 'sabotage'); end`,
      )
      await assert.rejects(commit('never'), /sabotage/)
      saboteur.exec('drop trigger sabotage')
      saboteur.close()
      assert.deepEqual(await storage.directory.changesAfter(), before)
      assert.equal(await recorded(), recordedBefore)
      assert.notEqual(await commit(table), 'conflict')
    })
  }
})
