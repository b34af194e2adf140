import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AuditBuffer, type AuditBufferOptions } from '../../src/audit/audit-buffer.ts'
import type { AuditRecord } from '../../src/audit/audit-record.ts'
import type { AuditLane } from '../../src/audit/audit-trail.ts'

const at = new Date('2030-01-01T00:00:00Z')
const record = (target: string): AuditRecord => ({
  at,
  tenantId: 'a tenant',
  actor: 'a client',
  action: 'token.issue',
  target,
  outcome: 'done',
  reason: null,
  correlationId: null,
})

/** A fake store that can be unavailable, and a buffer that writes to it. */
function bufferFixture(capacity = 100, more: Partial<AuditBufferOptions> = {}) {
  const store = {
    away: false,
    records: [] as (AuditRecord & { readonly lane: AuditLane })[],
    writes: 0,
    uses: new Map<string, Date>(),
    meanwhile: (): void => {},
  }
  const ifAvailable = async (write: () => void) => {
    if (store.away) throw new Error('away')
    store.writes += 1
    write()
    store.meanwhile()
  }
  const buffer = new AuditBuffer({
    audit: {
      append: (lane, records) =>
        ifAvailable(() => store.records.push(...records.map((one) => ({ ...one, lane })))),
      find: () => Promise.reject(new TypeError('not expected')),
      countHours: () => Promise.reject(new TypeError('not expected')),
      forgetOld: () => Promise.reject(new TypeError('not expected')),
      forgetBeyond: () => Promise.reject(new TypeError('not expected')),
    },
    uses: {
      record: (uses) =>
        ifAvailable(() => {
          for (const [keyId, used] of uses) store.uses.set(keyId, used)
        }),
      lastUses: () => Promise.reject(new TypeError('not expected')),
    },
    capacity,
    now: () => at,
    ...more,
  })
  return { store, buffer, targets: () => store.records.map(({ target }) => target) }
}

describe('the audit buffer', () => {
  it('writes its records once, in one batch and in order', async () => {
    const { buffer, store, targets } = bufferFixture()
    for (const target of ['1', '2', '3']) buffer.record(record(target), 'signIns')
    assert.equal(store.writes, 0)
    await Promise.all([buffer.flush(), buffer.flush()])
    await buffer.flush()
    assert.deepEqual(targets(), ['1', '2', '3'])
    assert.equal(store.writes, 1)
  })

  it('writes many records in batches of a thousand, and keeps the unwritten batches', async () => {
    const { buffer, store, targets } = bufferFixture(2500)
    const all = Array.from({ length: 2500 }, (_, index) => String(index))
    for (const target of all) buffer.record(record(target), 'signIns')
    store.meanwhile = () => {
      store.away = store.writes === 2
    }
    await assert.rejects(buffer.flush(), { message: 'away' })
    assert.deepEqual([targets().length, buffer.backlog.waiting], [2000, 500])
    store.away = false
    await buffer.flush()
    assert.deepEqual(targets(), all)
    assert.equal(store.writes, 3)
  })

  it('keeps its records while the store is unavailable, and writes them later', async () => {
    const { buffer, store, targets } = bufferFixture()
    store.away = true
    buffer.record(record('1'), 'signIns')
    buffer.noteUse('k', at)
    await assert.rejects(buffer.flush(), { message: 'away' })
    buffer.record(record('2'), 'signIns')
    store.away = false
    await buffer.flush()
    assert.deepEqual(targets(), ['1', '2'])
    assert.deepEqual(store.uses, new Map([['k', at]]))
  })

  it('has a size limit: it counts the records that do not fit, and writes their number', async () => {
    const { buffer, store, targets } = bufferFixture(3)
    store.away = true
    for (let count = 0; count < 10; count += 1) buffer.record(record(`${count}`), 'signIns')
    await assert.rejects(buffer.flush())
    buffer.record(record('late'), 'signIns')
    store.away = false
    await buffer.flush()
    assert.deepEqual(targets(), ['0', '1', '2', null])
    assert.equal(store.records.at(-1)?.action, 'audit.lose')
    assert.match(store.records.at(-1)?.reason ?? '', /^8 records/)
    buffer.record(record('next'), 'signIns')
    await buffer.flush()
    assert.deepEqual(targets().slice(4), ['next'])
  })

  it('passes on each record immediately, and stores no record of a disabled lane', async () => {
    const passed: string[] = []
    const { buffer, targets } = bufferFixture(1, {
      unstored: new Set(['signIns']),
      onRecord: ({ target }, lane) => passed.push(`${lane} ${target}`),
    })
    buffer.record(record('1'), 'signIns')
    for (const target of ['2', '3']) buffer.record(record(target), 'unauthenticated')
    assert.deepEqual(passed, ['signIns 1', 'unauthenticated 2', 'unauthenticated 3'])
    assert.deepEqual(buffer.backlog, { waiting: 1, dropped: 1 })
    await buffer.flush()
    assert.deepEqual(targets(), ['2', null])
  })

  it('keeps the latest use of each credential', async () => {
    const { buffer, store } = bufferFixture()
    const later = new Date(at.getTime() + 1000)
    for (const time of [at, later, at]) buffer.noteUse('k', time)
    await buffer.flush()
    assert.deepEqual(store.uses, new Map([['k', later]]))
    store.away = true
    buffer.noteUse('k', at)
    await assert.rejects(buffer.flush())
    buffer.noteUse('k', later)
    store.away = false
    await buffer.flush()
    assert.deepEqual(store.uses, new Map([['k', later]]))
  })

  it('keeps records that are added during a write', async () => {
    const { buffer, store, targets } = bufferFixture()
    buffer.record(record('1'), 'signIns')
    buffer.noteUse('k', at)
    const later = new Date(at.getTime() + 1000)
    store.meanwhile = () => {
      buffer.record(record(`after write ${store.writes}`), 'signIns')
      buffer.noteUse('k', later)
    }
    await buffer.flush()
    store.meanwhile = () => {}
    await buffer.flush()
    assert.deepEqual(targets(), ['1', 'after write 1', 'after write 2'])
    assert.deepEqual(store.uses, new Map([['k', later]]))
  })

  it('reserves space for each lane during a flood of unauthenticated requests (AS34)', async () => {
    const { buffer, store } = bufferFixture(3)
    store.away = true
    for (let count = 0; count < 10; count += 1) buffer.record(record('flood'), 'unauthenticated')
    buffer.record(record('a sign-in'), 'signIns')
    buffer.record(record('a refused change'), 'refusedChanges')
    await assert.rejects(buffer.flush())
    store.away = false
    await buffer.flush()
    const kept = (lane: AuditLane) =>
      store.records.filter((one) => one.lane === lane).map(({ target }) => target)
    assert.deepEqual(kept('unauthenticated'), ['flood', 'flood', 'flood', null])
    assert.deepEqual(kept('signIns'), ['a sign-in'])
    assert.deepEqual(kept('refusedChanges'), ['a refused change'])
  })
})
