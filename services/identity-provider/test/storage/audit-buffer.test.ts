import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AuditBuffer } from '../../src/storage/audit-buffer.ts'
import type { AuditRecord } from '../../src/storage/audit-record.ts'
import type { AuditLane } from '../../src/storage/audit-trail.ts'

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

/** A store that can be away, and notes over it. */
function desk(capacity = 100) {
  const store = {
    away: false,
    records: [] as (AuditRecord & { readonly lane: AuditLane })[],
    writes: 0,
    uses: new Map<string, Date>(),
    meanwhile: (): void => {},
  }
  const whileThere = async (write: () => void) => {
    if (store.away) throw new Error('away')
    store.writes += 1
    write()
    store.meanwhile()
  }
  const notes = new AuditBuffer({
    audit: {
      append: (lane, records) =>
        whileThere(() => store.records.push(...records.map((one) => ({ ...one, lane })))),
      find: () => Promise.reject(new TypeError('never asked')),
      prune: () => Promise.reject(new TypeError('never asked')),
    },
    uses: {
      record: (uses) =>
        whileThere(() => {
          for (const [keyId, used] of uses) store.uses.set(keyId, used)
        }),
      lastUses: () => Promise.reject(new TypeError('never asked')),
    },
    capacity,
    now: () => at,
  })
  return { store, notes, targets: () => store.records.map(({ target }) => target) }
}

describe('the buffer of the audit', () => {
  it('writes its records once, in one batch and in their order', async () => {
    const { notes, store, targets } = desk()
    for (const target of ['1', '2', '3']) notes.record(record(target), 'signIns')
    assert.equal(store.writes, 0)
    await Promise.all([notes.flush(), notes.flush()])
    await notes.flush()
    assert.deepEqual(targets(), ['1', '2', '3'])
    assert.equal(store.writes, 1)
  })

  it('keeps its records while the store is unavailable, and writes them later', async () => {
    const { notes, store, targets } = desk()
    store.away = true
    notes.record(record('1'), 'signIns')
    notes.noteUse('k', at)
    await assert.rejects(notes.flush(), { message: 'away' })
    notes.record(record('2'), 'signIns')
    store.away = false
    await notes.flush()
    assert.deepEqual(targets(), ['1', '2'])
    assert.deepEqual(store.uses, new Map([['k', at]]))
  })

  it('is bounded: it counts the records that do not fit, and writes the count', async () => {
    const { notes, store, targets } = desk(3)
    store.away = true
    for (let count = 0; count < 10; count += 1) notes.record(record(`${count}`), 'signIns')
    await assert.rejects(notes.flush())
    notes.record(record('late'), 'signIns')
    store.away = false
    await notes.flush()
    assert.deepEqual(targets(), ['0', '1', '2', null])
    assert.equal(store.records.at(-1)?.action, 'audit.lose')
    assert.match(store.records.at(-1)?.reason ?? '', /^8 records/)
    notes.record(record('next'), 'signIns')
    await notes.flush()
    assert.deepEqual(targets().slice(4), ['next'])
  })

  it('keeps the latest use of each credential', async () => {
    const { notes, store } = desk()
    const later = new Date(at.getTime() + 1000)
    for (const time of [at, later, at]) notes.noteUse('k', time)
    await notes.flush()
    assert.deepEqual(store.uses, new Map([['k', later]]))
    store.away = true
    notes.noteUse('k', at)
    await assert.rejects(notes.flush())
    notes.noteUse('k', later)
    store.away = false
    await notes.flush()
    assert.deepEqual(store.uses, new Map([['k', later]]))
  })

  it('keeps what is added during a write', async () => {
    const { notes, store, targets } = desk()
    notes.record(record('1'), 'signIns')
    notes.noteUse('k', at)
    const later = new Date(at.getTime() + 1000)
    store.meanwhile = () => {
      notes.record(record(`after write ${store.writes}`), 'signIns')
      notes.noteUse('k', later)
    }
    await notes.flush()
    store.meanwhile = () => {}
    await notes.flush()
    assert.deepEqual(targets(), ['1', 'after write 1', 'after write 2'])
    assert.deepEqual(store.uses, new Map([['k', later]]))
  })

  it('keeps room for each lane during a flood of unauthenticated requests (AS34)', async () => {
    const { notes, store } = desk(3)
    store.away = true
    for (let count = 0; count < 10; count += 1) notes.record(record('flood'), 'unauthenticated')
    notes.record(record('a sign-in'), 'signIns')
    notes.record(record('a refused change'), 'refusedChanges')
    await assert.rejects(notes.flush())
    store.away = false
    await notes.flush()
    const kept = (lane: AuditLane) =>
      store.records.filter((one) => one.lane === lane).map(({ target }) => target)
    assert.deepEqual(kept('unauthenticated'), ['flood', 'flood', 'flood', null])
    assert.deepEqual(kept('signIns'), ['a sign-in'])
    assert.deepEqual(kept('refusedChanges'), ['a refused change'])
  })
})
