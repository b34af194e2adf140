import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { delegatingLog } from '../../../../test/fixtures/directory/delegating-log.ts'
import { MemoryDirectoryLog } from '../../../../test/fixtures/directory/memory-directory-log.ts'
import { application, guid, tenant } from '../../../../test/fixtures/directory/sample.ts'
import { beginning, newMark } from '../../src/live/commit.ts'
import type { DirectoryLog } from '../../src/live/directory-log.ts'
import { DirectoryStore } from '../../src/live/directory-store.ts'
import { put } from '../../src/model/directory-change.ts'

/** Adds an application to a tenant. */
const adding = (store: DirectoryStore, number: number, tenantId: string) =>
  store.update(
    () => ({
      changes: [
        put('application', application({ id: guid(number), appId: guid(number), tenantId })),
      ],
      audit: [],
      result: number,
    }),
    tenantId,
  )
const [one, other] = [guid(0x1000), guid(0x1001)]
/** A log with two tenants, which notes the tenants of each commit, and whether it waits. */
async function withTenants(commit?: DirectoryLog['commit']) {
  const log = new MemoryDirectoryLog()
  const tenants = [one, other].map((id) => put('tenant', tenant({ id, domains: [id] })))
  await log.commit(beginning, newMark(), tenants, [])
  const commits: unknown[][] = []
  const store = new DirectoryStore({
    log: delegatingLog(() => log, {
      commit: async (...written) => {
        const [, , changes, , , options] = written
        commits.push([
          options?.waitsForLogs,
          ...changes.map(({ value }) => value && 'tenantId' in value && value.tenantId),
        ])
        return (await commit?.(...written)) ?? log.commit(...written)
      },
    }),
  })
  await store.refresh()
  return { commits, store }
}

describe('a queue of updates from several tenants', () => {
  it('writes the updates of several tenants in one commit without waiting for a lock', async () => {
    const { commits, store } = await withTenants()
    await Promise.all([0, 1, 2].map((number) => adding(store, number, number ? other : one)))
    assert.deepEqual(commits, [
      [false, one],
      [false, other, other],
    ])
  })

  it("writes one update before other tenants' updates if they do not fit into one commit", async () => {
    const { commits, store } = await withTenants()
    const many = Array.from({ length: 40 }, (_, number) => adding(store, number, one))
    await adding(store, 99, other)
    assert.equal(commits.length, 2)
    await Promise.all(many)
  })

  const notShared: readonly [string, () => 'conflict', number][] = [
    ['is a conflict', () => 'conflict', 1],
    [
      'cannot be written',
      () => {
        throw new TypeError('cannot be written')
      },
      0,
    ],
  ]
  for (const [what, fail, conflicts] of notShared)
    it(`writes the updates of each tenant separately after a shared commit that ${what}`, async () => {
      const { commits, store } = await withTenants(async (_base, _mark, changes) =>
        new Set(changes.map(({ value }) => value && 'tenantId' in value && value.tenantId)).size > 1
          ? fail()
          : (undefined as never),
      )
      await Promise.all(
        [0, 1, 2].map((number) => adding(store, number, number === 1 ? other : one)),
      )
      assert.deepEqual(commits, [
        [false, one],
        [false, other, one],
        [true, other],
        [true, one],
      ])
      assert.equal(store.conflicts, conflicts)
    })
})
