import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, it } from 'node:test'
import { openLocalStorage } from '../../../../../test/fixtures/directory/local-storage.ts'
import { guid, tenant } from '../../../../../test/fixtures/directory/sample.ts'
import { commitAt, markAt } from '../../../../../test/fixtures/directory/sample-commit.ts'
import { freshFolder } from '../../../../../test/fixtures/fresh-folder.ts'
import { logOfAll } from '../../../src/live/directory-log.ts'
import { put } from '../../../src/model/directory-change.ts'
import type { Storage } from '../../../src/storage/storage.ts'

const commits = 40
const folder = freshFolder()
let count = 0
/** The folder of a server that was killed: the latest commits are in the write-ahead log only. */
let killed: string
/** A copy of the data file of an earlier moment. */
let earlier: string

const freshDir = () => join(folder, `data-${++count}`)
const fileIn = (dataDir: string, end = '') => join(dataDir, `greeting.sqlite${end}`)

async function commitTo(storage: Storage, from: number, to: number) {
  for (let revision = from; revision < to; revision += 1) {
    const object = tenant({ id: guid(revision) })
    const change = [commitAt(revision), markAt(revision + 1), [put('tenant', object)], []] as const
    assert.notEqual(await storage.directory.commit(...change), 'conflict')
  }
}

const revisionIn = async (storage: Storage) =>
  (await storage.directory.changesAfter()).latest.revision

before(async () => {
  const dataDir = freshDir()
  earlier = freshDir()
  killed = freshDir()
  const storage = await openLocalStorage({ dataDir })
  await commitTo(storage, 0, commits / 2)
  await storage.close()
  await cp(dataDir, earlier, { recursive: true })
  const again = await openLocalStorage({ dataDir })
  await commitTo(again, commits / 2, commits)
  await cp(dataDir, killed, { recursive: true })
  await again.close()
})

/** A copy of the folder of the killed server, changed. */
async function copyOf(change: (dataDir: string) => Promise<unknown>): Promise<string> {
  const dataDir = freshDir()
  await cp(killed, dataDir, { recursive: true })
  await change(dataDir)
  return dataDir
}

const withLog = (change: (bytes: Buffer) => Buffer) => async (dataDir: string) => {
  const file = fileIn(dataDir, '-wal')
  await writeFile(file, change(await readFile(file)))
}

const losses: readonly [title: string, change: (dataDir: string) => Promise<unknown>][] = [
  ['its log is lost', (dataDir) => rm(fileIn(dataDir, '-wal'))],
  ['its log is empty', withLog(() => Buffer.alloc(0))],
  ['its log is cut in half', withLog((bytes) => bytes.subarray(0, bytes.length / 2))],
  [
    'one bit in the middle of its log is wrong',
    withLog((bytes) => {
      const at = Math.floor(bytes.length / 2)
      bytes[at] = (bytes[at] ?? 0) ^ 4
      return bytes
    }),
  ],
  [
    'an older copy was written into it',
    async (dataDir) => {
      await rm(fileIn(dataDir, '-wal'))
      await writeFile(fileIn(dataDir), await readFile(fileIn(earlier)))
    },
  ],
  [
    'a copy with another history was written into it',
    async (dataDir) => {
      await rm(fileIn(dataDir, '-wal'))
      const other = new DatabaseSync(fileIn(dataDir))
      other.exec(`update revision set number = 90 where log <> 'signing-keys';
        insert into commit_mark values ('directory', ${commits}, 'another')`)
      other.close()
    },
  ],
]

/** The digest of each file with content. The shared memory is that of a process. */
async function digestsIn(dataDir: string) {
  const names = (await readdir(dataDir)).filter((name) => name !== 'greeting.sqlite-shm').sort()
  const files = await Promise.all(
    names.map(async (name) => ({ name, bytes: await readFile(join(dataDir, name)) })),
  )
  return files
    .filter(({ bytes }) => bytes.length > 0)
    .map(({ name, bytes }) => [name, createHash('sha256').update(bytes).digest('hex')])
}

describe('a data file that lacks acknowledged commits', () => {
  for (const [title, change] of losses)
    it(`is refused in one sentence, and not changed, if ${title}`, async () => {
      const dataDir = await copyOf(change)
      const before = await digestsIn(dataDir)
      await assert.rejects(openLocalStorage({ dataDir }), {
        code: 'storage_unavailable',
        message:
          /^The data file [^\n]+greeting\.sqlite lacks acknowledged changes: commit 40 of the directory is missing \(the latest is \d+\)\. [^\n]+ Restore a backup, or accept the loss with LOST_CHANGES=accept\.$/,
      })
      assert.deepEqual(await digestsIn(dataDir), before)
    })

  it('is opened if the loss is accepted, which is reported once', async () => {
    const dataDir = await copyOf((copied) => rm(fileIn(copied, '-wal')))
    const storage = await openLocalStorage({ dataDir, lostChanges: 'accept' })
    const latest = await revisionIn(storage)
    assert.ok(latest < commits)
    assert.deepEqual(
      storage.lostCommits?.map((lost) => [lost.log, lost.acknowledged, lost.latest.revision]),
      [['directory', commitAt(commits), latest]],
    )
    await storage.close()
    const again = await openLocalStorage({ dataDir })
    assert.deepEqual(again.lostCommits, [])
    await again.close()
  })

  it('is refused if it was replaced by a file without a tenant', async () => {
    const dataDir = freshDir()
    const storage = await openLocalStorage({ dataDir })
    await commitTo(storage, 0, 3)
    await storage.close()
    await withoutRows(dataDir)
    await assert.rejects(openLocalStorage({ dataDir }), {
      message: /has no tenant, but .*-acknowledged of an earlier store\. Nothing was changed\./,
    })
  })

  it('is reported, but not refused, if it was replaced by an older copy', async () => {
    const dataDir = freshDir()
    await (await openLocalStorage({ dataDir })).close()
    const storage = await openLocalStorage({ dataDir })
    await commitTo(storage, 0, 3)
    await storage.close()
    const copy = fileIn(freshDir(), '-copy')
    await cp(fileIn(earlier), copy, { recursive: true })
    const other = new DatabaseSync(copy)
    other.exec(
      "update revision set number = 1 where log <> 'signing-keys'; delete from commit_mark",
    )
    other.close()
    await rename(copy, fileIn(dataDir))
    const opened = await openLocalStorage({ dataDir })
    assert.deepEqual(
      opened.lostCommits?.map(({ acknowledged }) => acknowledged),
      [commitAt(3)],
    )
    await opened.close()
  })
})

const named = '-acknowledged'

const removeAll = (dataDir: string, ends: readonly string[]) =>
  Promise.all(ends.map((end) => rm(fileIn(dataDir, end), { force: true })))

/** Empties the data file, but keeps its tables. */
async function withoutRows(dataDir: string) {
  await removeAll(dataDir, ['', '-wal', '-shm'])
  const other = freshDir()
  await (await openLocalStorage({ dataDir: other })).close()
  await rename(fileIn(other), fileIn(dataDir))
}

describe('a lost data file (FL22)', () => {
  const all = ['', '-wal', '-shm', named]
  const losses: readonly [
    title: string,
    change: (dataDir: string) => Promise<unknown>,
    found: RegExp,
  ][] = [
    [
      'commits were acknowledged',
      (dir) => removeAll(dir, ['', '-wal', '-shm']),
      /-acknowledged of/,
    ],
    ['its log remains', (dir) => removeAll(dir, ['', '-shm', named]), /greeting\.sqlite-wal of/],
    ['its index remains', (dir) => removeAll(dir, ['', '-wal', named]), /greeting\.sqlite-shm of/],
    [
      'another file of a server remains',
      async (dir) => {
        await removeAll(dir, all)
        await writeFile(join(dir, 'administrator.env'), 'CLIENT_ID=1')
      },
      /has administrator\.env of/,
    ],
    [
      'a data file without rows has replaced it',
      withoutRows,
      /commit 40 of the directory is missing/,
    ],
    [
      'a data file without tables has replaced it',
      async (dir) => {
        await removeAll(dir, ['', '-wal', '-shm'])
        const other = new DatabaseSync(fileIn(dir))
        other.exec('vacuum')
        other.close()
      },
      /has no tenant, but .*-acknowledged of/,
    ],
  ]
  const traces = ['administrator.env', 'seeded.json']
  for (const [title, change, found] of losses)
    it(`is refused in one sentence, and nothing is changed, if ${title}`, async () => {
      const dataDir = await copyOf(change)
      const before = await digestsIn(dataDir)
      const refused = openLocalStorage({ dataDir, traces })
      await assert.rejects(refused, (error: Error & { code?: string }) => {
        assert.equal(error.code, 'storage_unavailable')
        assert.match(error.message, found)
        assert.match(
          error.message,
          /^The data file \S+ (is missing, but|has no tenant, but|lacks) [^\n]+ Nothing was changed\. [^\n]+LOST_CHANGES=accept\b[^\n]*\.$/,
        )
        return true
      })
      assert.deepEqual(await digestsIn(dataDir), before)
    })

  for (const [title, change] of losses)
    it(`becomes a new store that keeps the remaining files, if the loss is accepted and ${title}`, async () => {
      const dataDir = await copyOf(change)
      const before = new Map((await digestsIn(dataDir)) as [string, string][])
      before.delete('greeting.sqlite')
      const storage = await openLocalStorage({ dataDir, traces, lostChanges: 'accept' })
      assert.equal(await revisionIn(storage), 0)
      await storage.close()
      const kept = (await readdir(dataDir)).find((name) => name.startsWith('earlier-store-'))
      assert.ok(kept)
      const after = new Map((await digestsIn(join(dataDir, kept))) as [string, string][])
      assert.deepEqual(after, before)
    })

  it('is reported with its acknowledged commits if the loss is accepted', async () => {
    for (const change of [(dir: string) => removeAll(dir, ['', '-wal', '-shm']), withoutRows]) {
      const dataDir = await copyOf(change)
      const storage = await openLocalStorage({ dataDir, lostChanges: 'accept' })
      assert.deepEqual(
        storage.lostCommits?.map(({ acknowledged, latest }) => [acknowledged, latest.revision]),
        [[commitAt(commits), 0]],
      )
      await storage.close()
    }
  })
})

describe('the file of acknowledged commits', () => {
  const harmless: readonly [title: string, change: (dataDir: string) => Promise<unknown>][] = [
    ['the server was killed, and nothing else happened', async () => undefined],
    ['the file is missing', (dataDir) => rm(fileIn(dataDir, named))],
    ['the file is empty', (dataDir) => writeFile(fileIn(dataDir, named), '')],
    [
      'one bit of the file is wrong',
      async (dataDir) => {
        const bytes = await readFile(fileIn(dataDir, named))
        bytes[90] = (bytes[90] ?? 0) ^ 1
        await writeFile(fileIn(dataDir, named), bytes)
      },
    ],
    [
      'the file is older than the data file',
      (dataDir) => cp(fileIn(earlier, named), fileIn(dataDir, named)),
    ],
  ]
  for (const [title, change] of harmless)
    it(`raises no alarm if ${title}`, async () => {
      const dataDir = await copyOf(change)
      const storage = await openLocalStorage({ dataDir })
      assert.deepEqual(storage.lostCommits, [])
      assert.equal(await revisionIn(storage), commits)
      await storage.close()
    })

  it('raises no alarm if the whole store was removed for a new start', async () => {
    const dataDir = await copyOf((copied) => removeAll(copied, ['', '-wal', '-shm', named]))
    const storage = await openLocalStorage({ dataDir })
    assert.deepEqual([storage.lostCommits, await revisionIn(storage)], [[], 0])
    await storage.close()
  })

  it('has mode 0600 and one sector, and contains each commit before it is acknowledged', async () => {
    const dataDir = freshDir()
    const storage = await openLocalStorage({ dataDir })
    for (let revision = 0; revision < 3; revision += 1) {
      await commitTo(storage, revision, revision + 1)
      assert.match(await readFile(fileIn(dataDir, named), 'utf8'), RegExp(markAt(revision + 1)))
    }
    await storage.directory.exclusively([logOfAll], (log) =>
      log.commit(commitAt(3), markAt(4), [put('tenant', tenant())], []),
    )
    await storage.keyRing.commit(commitAt(0), 'mark of keys', [], [])
    const text = await readFile(fileIn(dataDir, named), 'utf8')
    assert.match(text, RegExp(markAt(4)))
    assert.match(text, /mark of keys/)
    const { mode, size } = await stat(fileIn(dataDir, named))
    assert.deepEqual([mode & 0o777, size], [0o600, 512])
    await storage.close()
  })

  it('prevents no change if it cannot be written', async () => {
    const dataDir = freshDir()
    const storage = await openLocalStorage({ dataDir })
    await rm(fileIn(dataDir, named))
    await cp(killed, fileIn(dataDir, named), { recursive: true })
    await commitTo(storage, 0, 1)
    await storage.close()
  })
})
