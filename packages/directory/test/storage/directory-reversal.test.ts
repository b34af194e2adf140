import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { delegatingLog } from '../../../../test/fixtures/directory/delegating-log.ts'
import { MemoryDirectoryLog } from '../../../../test/fixtures/directory/memory-directory-log.ts'
import { guid, tenant } from '../../../../test/fixtures/directory/sample.ts'
import { wholeDirectory } from '../../../../test/fixtures/directory/whole-directory.ts'
import type { Commit } from '../../src/live/commit.ts'
import type { DirectoryLog, Followed } from '../../src/live/directory-log.ts'
import { DirectoryStore } from '../../src/live/directory-store.ts'
import { StorageUnavailableError } from '../../src/live/storage-unavailable-error.ts'
import { put } from '../../src/model/directory-change.ts'

/** The changes of a log: each creates a tenant with its own name. */
const names = (...displayNames: string[]) =>
  displayNames.map((displayName, index) => put('tenant', tenant({ id: guid(index), displayName })))

async function logWith(...displayNames: string[]): Promise<MemoryDirectoryLog> {
  const log = new MemoryDirectoryLog()
  const store = new DirectoryStore({ log })
  for (const change of names(...displayNames))
    await store.update(() => ({ changes: [change], audit: [], result: undefined }))
  return log
}

/** A follower of a log that can be replaced, as in a failover. */
async function followerOf(log: MemoryDirectoryLog) {
  const place: { log: DirectoryLog } = { log }
  const clock = { nowMs: 0 }
  const reversals: [number, number][] = []
  const store = new DirectoryStore({
    log: delegatingLog(() => place.log),
    monotonicNowMs: () => clock.nowMs,
    onReversal: (followed: Commit, latest: Commit) =>
      void reversals.push([followed.revision, latest.revision]),
  })
  await store.refresh()
  const seen = async () =>
    [...(await wholeDirectory(store)).tenants()].map((one) => one.displayName)
  return { place, clock, reversals, store, seen }
}

const former = ['a', 'b', 'c']

describe('a directory whose log is rolled back (AS37)', () => {
  const others: [string, string[]][] = [
    ['fewer commits', ['a', 'other']],
    ['as many commits', ['a', 'b', 'other']],
    ['more commits', ['a', 'other', 'other', 'other']],
    ['no commit', []],
  ]
  for (const [what, present] of others) {
    it(`is read again if the other log has ${what}`, async () => {
      const { place, reversals, store, seen } = await followerOf(await logWith(...former))
      assert.deepEqual(await seen(), former)
      place.log = await logWith(...present)
      await store.refresh()
      assert.deepEqual(await seen(), present)
      await store.refresh()
      assert.deepEqual(reversals, [[3, present.length]], 'noticed once')
    })
  }

  it('rejects reads after the reversal until the other log is read', async () => {
    const { place, clock, store, seen } = await followerOf(await logWith(...former))
    const other = await logWith('a')
    place.log = delegatingLog(() => other, {
      latest: () => Promise.reject(new StorageUnavailableError('away again')),
    })
    await assert.rejects(store.refresh(), StorageUnavailableError)
    await assert.rejects(seen, StorageUnavailableError)
    assert.equal(
      store.readLastKnown(({ revision }) => revision),
      undefined,
    )
    place.log = other
    clock.nowMs += 1
    assert.deepEqual(await seen(), ['a'])
  })

  it('repeats the decision about a change with the state of the other log', async () => {
    const { place, store, seen } = await followerOf(await logWith(...former))
    const other = await logWith('a', 'b', 'other')
    const decidedOn: string[][] = []
    await store.update((directory) => {
      decidedOn.push([...directory.tenants()].map(({ displayName }) => displayName))
      // The failover happens while the change is being decided.
      place.log = other
      const change = put('tenant', tenant({ id: guid(9), displayName: 'mine' }))
      return { changes: [change], audit: [], result: undefined }
    })
    assert.deepEqual(decidedOn, [former, ['a', 'b', 'other']])
    assert.deepEqual(await seen(), ['a', 'b', 'other', 'mine'])
  })

  it('ignores a late result of the former log', async () => {
    const log = await logWith(...former)
    const { place, reversals, store, seen } = await followerOf(log)
    const { latest: followed } = await log.changesAfter()
    const late = Promise.withResolvers<Followed>()
    const other = await logWith('a')
    await new DirectoryStore({ log }).update(() => ({
      changes: [put('tenant', tenant({ id: guid(9), displayName: 'late' }))],
      audit: [],
      result: undefined,
    }))
    place.log = delegatingLog(() => other, {
      changesAfter: () => late.promise,
      commit: () => Promise.reject(),
    })
    const refreshed = store.refresh()
    place.log = other
    const updated = store.update(() => ({ changes: [], audit: [], result: undefined }))
    late.resolve(await log.changesAfter(followed))
    await Promise.all([refreshed, updated])
    assert.deepEqual(await seen(), ['a'])
    assert.equal(reversals.length, 1)
  })
})
