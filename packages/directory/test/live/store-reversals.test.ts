import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { delegatingLog } from '../../../../test/fixtures/directory/delegating-log.ts'
import { MemoryDirectoryLog } from '../../../../test/fixtures/directory/memory-directory-log.ts'
import { commitAt } from '../../../../test/fixtures/directory/sample-commit.ts'
import { DirectoryStore } from '../../src/live/directory-store.ts'
import { StoreReversals } from '../../src/live/store-reversals.ts'

const now = new Date('2030-01-01T00:00:00Z')

describe('a store that is rolled back (AS37)', () => {
  it('is logged and counted immediately', () => {
    const reported: object[] = []
    const report = (fields: object) => void reported.push(fields)
    const reversals = new StoreReversals({ report, now: () => now })
    assert.equal(reversals.latestAt, undefined)
    reversals.note('directory', commitAt(8), commitAt(2))
    reversals.note('signing-keys', commitAt(3), commitAt(1))
    assert.deepEqual(reported, [
      { log: 'directory', followed: 8, latest: 2, count: 1 },
      { log: 'signing-keys', followed: 3, latest: 1, count: 2 },
    ])
    assert.equal(reversals.latestAt, now)
  })

  it('is recorded in the audit log once, as soon as the store accepts changes', async () => {
    const log = new MemoryDirectoryLog()
    const reversals = new StoreReversals({ report: () => {}, now: () => now })
    reversals.note('directory', commitAt(8), commitAt(2))
    const standby = delegatingLog(() => log, {
      commit: () => Promise.reject(new Error('accepts no writes')),
    })
    await assert.rejects(reversals.writeTo(new DirectoryStore({ log: standby })))
    const directory = new DirectoryStore({ log })
    await reversals.writeTo(directory)
    await reversals.writeTo(directory)
    assert.deepEqual(log.audit, [
      {
        at: now,
        tenantId: null,
        actor: 'system',
        action: 'storage.goBack',
        target: 'directory',
        outcome: 'done',
        reason: 'followed to commit 8, found commit 2, number 1 since the start',
        correlationId: null,
      },
    ])
  })
})
