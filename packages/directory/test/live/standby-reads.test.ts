import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { delegatingLog } from '../../../../test/fixtures/directory/delegating-log.ts'
import { MemoryDirectoryLog } from '../../../../test/fixtures/directory/memory-directory-log.ts'
import { application, tenant } from '../../../../test/fixtures/directory/sample.ts'
import { commitAt, markAt } from '../../../../test/fixtures/directory/sample-commit.ts'
import type { Commit } from '../../src/live/commit.ts'
import type { DirectoryLog } from '../../src/live/directory-log.ts'
import { DirectoryStore } from '../../src/live/directory-store.ts'
import { type Standby, StandbyReads } from '../../src/live/standby-reads.ts'
import { StorageUnavailableError } from '../../src/live/storage-unavailable-error.ts'
import type { Directory } from '../../src/model/directory.ts'
import { put } from '../../src/model/directory-change.ts'

const start = new Date('2030-01-01T00:00:00Z')
const away = () => Promise.reject(new StorageUnavailableError('The store is unavailable.'))
const contoso = (directory: Directory) => directory.tenant(tenant().id)?.displayName
const api = (directory: Directory) => directory.application(application().id)?.displayName

/** A log whose first commit has the tenant, and whose second one has an application. */
async function logOf(commits: number, mark = markAt) {
  const log = new MemoryDirectoryLog()
  const changes = [put('tenant', tenant()), put('application', application())]
  for (const [index, change] of changes.slice(0, commits).entries())
    await log.commit(
      { ...commitAt(index), mark: index === 0 ? null : mark(index) },
      mark(index + 1),
      [change],
      [],
    )
  return log
}

type Part = {
  readonly copied?: DirectoryLog
  readonly beat?: () => Promise<Date | undefined>
  /** The marks of the heartbeats that the standby has; default those of the store. */
  readonly marks?: string[]
  readonly isMigrated?: boolean
}

const lastBeatOf =
  (marks: readonly string[], beat: () => Promise<Date | undefined>): Standby['lastBeat'] =>
  async (known) => {
    const at = await beat()
    if (at === undefined) return undefined
    const latest = { revision: marks.length, mark: marks.at(-1) ?? null }
    return { at, latest, hasKnown: known !== undefined && marks[known.revision - 1] === known.mark }
  }

/** Reads of a store with two commits and its standby, in a second and a clock of their own. */
async function fixture({ copied, beat, isMigrated = true, marks }: Part = {}) {
  const [store, copy] = [await logOf(2), copied ?? (await logOf(2))]
  const beats = ['before', 'the start']
  const startBeat = async () => new Date(start.getTime())
  const reversals: (readonly Commit[])[] = []
  let [nowMs, isAway] = [0, false]
  const log = delegatingLog(() => (isAway ? delegatingLog(() => store, allAway) : store))
  const directory = new DirectoryStore({ log, monotonicNowMs: () => nowMs })
  const reports: string[] = []
  const reads = new StandbyReads({
    directory,
    log,
    lastBeat: async (known) => (isAway ? away() : lastBeatOf(beats, startBeat)(known)),
    onReversal: (...commits) =>
      reversals.push(commits.map(({ revision, mark }) => ({ revision, mark }))),
    standby: {
      directory: copy,
      lastBeat: lastBeatOf(marks ?? beats, beat ?? startBeat),
      isMigrated: async () => isMigrated,
    },
    maxStalenessSeconds: 60,
    now: () => new Date(start.getTime() + nowMs),
    monotonicNowMs: () => nowMs,
    report: (_, text) => reports.push(text),
  })
  await directory.refresh()
  await reads.compare()
  return {
    reads,
    reports,
    reversals,
    beats,
    store,
    directory,
    asked: () =>
      reads.ask(
        async () => (isAway ? away() : 'the store'),
        async () => 'the standby',
      ),
    at: (ms: number, isGone = true) => {
      nowMs = ms
      isAway = isGone
    },
  }
}

const allAway: Partial<DirectoryLog> = { latest: away, changesAfter: away, commit: away }

describe('reads of a server with a standby', () => {
  it('use the store while it is available', async () => {
    const { reads, asked } = await fixture({ copied: await logOf(1) })
    assert.equal(await reads.read(api), application().displayName)
    assert.equal(await asked(), 'the store')
    assert.equal(reads.state.isUsed, false)
  })

  it('use the standby while the store is unavailable, because it may be newer than memory', async () => {
    const copied = await logOf(2)
    const { asked, at, reads } = await fixture({ copied })
    assert.equal(await reads.read(contoso), tenant().displayName)
    await copied.commit(
      commitAt(2),
      markAt(3),
      [put('tenant', tenant({ displayName: 'Heard' }))],
      [],
    )
    at(1500)
    assert.equal(await reads.read(contoso), 'Heard')
    assert.equal(await reads.read(api), application().displayName)
    assert.equal(await asked(), 'the standby')
  })

  for (const [what, part] of [
    ['is behind', logOf(1).then((copied) => ({ copied }))],
    ['is unavailable too', { beat: away }],
  ] as const)
    it(`use memory while the store is unavailable and the standby ${what}`, async () => {
      const { at, reads } = await fixture(await part)
      assert.equal(await reads.read(api), application().displayName)
      at(1500)
      assert.equal(await reads.read(api), application().displayName)
    })

  it('use the standby immediately if the store fails within its last second', async () => {
    const { at, reads, asked } = await fixture()
    at(500)
    assert.equal(await reads.read(api), application().displayName)
    assert.equal(await asked(), 'the standby')
  })

  it('pass on errors from the function', async () => {
    const { at, reads } = await fixture()
    const failing = () => {
      throw new TypeError('not so')
    }
    assert.throws(() => reads.read(failing), /not so/)
    at(1500)
    await assert.rejects(async () => reads.read(failing), /not so/)
  })

  it('use a single state, and never combine memory with a standby that is behind', async () => {
    const { at, reads } = await fixture({ copied: await logOf(1) })
    assert.equal(await reads.read(contoso), tenant().displayName)
    at(1500)
    const both = await reads.read((all) => [contoso(all), api(all)])
    assert.deepEqual(both, [tenant().displayName, undefined], 'both of the standby')
  })

  it("fail if both the store's last response and the standby are older than permitted", async () => {
    const { at, reads, asked } = await fixture()
    await reads.read(contoso)
    at(59_000)
    assert.equal(await reads.read(contoso), tenant().displayName)
    at(61_000)
    await assert.rejects(async () => reads.read(contoso), /it is 61 s behind/)
    await assert.rejects(asked(), { code: 'storage_unavailable' })
  })

  it('continue while the standby receives commits from other servers', async () => {
    let ms = 0
    const { at, reads } = await fixture({ beat: async () => new Date(start.getTime() + ms) })
    for (ms of [30_000, 90_000, 150_000]) {
      at(ms)
      assert.equal(await reads.read(api), application().displayName)
    }
  })

  for (const [what, own, isUsed] of [
    ['that is behind', [], true],
    ['that has the next heartbeat of another server', ['read', 'next'], true],
    ['that was copied before the latest heartbeat, and continues separately', ['its own'], false],
    ['that was copied, and continues separately for longer', ['its own', 'also its own'], false],
  ] as const)
    it(`${isUsed ? 'use' : 'do not use'} a standby ${what}`, async () => {
      const marks = ['before', 'the start']
      const { at, beats, directory, reads, reports } = await fixture({ marks })
      beats.push('read')
      at(100, false)
      await directory.refresh()
      await reads.watch()
      marks.push(...own)
      at(1500)
      const read = async () => reads.read(api)
      if (isUsed) assert.equal(await read(), application().displayName)
      else await assert.rejects(read, /does not follow this store/)
      at(2000, false)
      await directory.refresh()
      if (own[1] === 'next') beats.push('next')
      await reads.compare()
      const isReported = reports.includes('the standby of DATABASE_READ_URL cannot be used')
      assert.equal(isReported, !isUsed)
    })

  it('fail at the age limit if the standby lacks changes that were read from the store', async () => {
    let ms = 0
    const beat = async () => new Date(start.getTime() + ms)
    const { at, reads } = await fixture({ copied: await logOf(1), beat })
    await reads.read(api)
    for (ms of [1500, 59_000]) {
      at(ms)
      assert.equal(await reads.read(contoso), tenant().displayName)
    }
    ms = 61_000
    at(ms)
    await assert.rejects(async () => reads.read(contoso), /it lacks changes that this server read/)
  })

  const returns: readonly [string, boolean, readonly (readonly Commit[])[]][] = [
    ['without a commit that was read from the standby', false, [[commitAt(3), commitAt(2)]]],
    ['with a commit that waited for the standby', true, []],
  ]
  for (const [what, hasIt, expected] of returns)
    it(`raise ${expected.length} alarms when the store returns ${what}`, async () => {
      const copied = await logOf(2)
      const { at, directory, reads, reversals, store } = await fixture({ copied })
      at(1500)
      await reads.watch()
      const third = [
        commitAt(2),
        markAt(3),
        [put('tenant', tenant({ displayName: 'New' }))],
        [],
      ] as const
      await copied.commit(...third)
      await reads.watch()
      const watch = async (ms: number) => {
        at(ms, false)
        await directory.refresh()
        await reads.watch()
      }
      await watch(2500)
      if (hasIt) await store.commit(...third)
      await watch(2500 + 4000)
      assert.deepEqual(reversals, [], 'not before other commits had time')
      await watch(2500 + 5000)
      await watch(2500 + 9000)
      assert.deepEqual(reversals, expected)
    })

  it('report when the store becomes unavailable, and when it becomes available again', async () => {
    const { at, directory, reads, reports } = await fixture()
    await reads.watch()
    at(1500)
    await reads.watch()
    await reads.watch()
    assert.equal(reads.state.isUsed, true)
    at(1600, false)
    await directory.refresh()
    await reads.watch()
    assert.deepEqual(reports, [
      'store unavailable: issuing tokens from the standby and the cache, refusing changes',
      'store available again',
    ])
    assert.deepEqual(reads.state, { isUsed: false, ageSeconds: 1.6, maxStalenessSeconds: 60 })
  })

  const faults: readonly [string, Part | Promise<Part>, RegExp, number?][] = [
    [
      'of another cluster',
      logOf(2, (n) => `other ${n}`).then((copied) => ({ copied })),
      /another history/,
    ],
    ['without registrations', { copied: new MemoryDirectoryLog() }, /no registrations/],
    ['with the tables of another release', { isMigrated: false }, /tables are not those/],
    ['without the time of a server', { beat: async () => undefined }, /its age is not known/],
    [
      'with a time far ahead',
      { beat: async () => new Date(start.getTime() + 60_000) },
      /its age is not known/,
    ],
    [
      'with a slow clock, which would make an old state appear new',
      { beat: async () => new Date(start.getTime() + 20_000) },
      /it is 62 s behind/,
      62_000,
    ],
    ['that is unavailable too', { beat: away }, /it was not compared with the store yet/],
    [
      'with heartbeats that the store never had',
      { marks: ['before', 'the start', 'its own'] },
      /does not follow this store/,
    ],
    [
      'with another heartbeat of the same number',
      { marks: ['before', 'its own'] },
      /does not follow this store/,
    ],
    ['whose heartbeats are not marked', { marks: [] }, /does not follow this store/],
  ]
  for (const [what, part, reason, ms = 1500] of faults)
    it(`reject a standby ${what}`, async () => {
      const { at, reads } = await fixture(await part)
      await reads.watch().catch(() => undefined)
      at(ms)
      await assert.rejects(async () => reads.read(api), reason)
    })
})
