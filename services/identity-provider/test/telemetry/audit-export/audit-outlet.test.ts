import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  AuditOutlet,
  type AuditOutletOptions,
} from '../../../src/telemetry/audit-export/audit-outlet.ts'
import type { ExportedRecord } from '../../../src/telemetry/audit-export/exported-record.ts'
import { numbers, sampleRecords } from './sample-records.ts'

const turns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

/** A fake sink, an outlet before it, and its waits, which end when the test says so or at a stop. */
function outletFixture(options: Partial<AuditOutletOptions> = {}) {
  const state = {
    answer: async (_: readonly ExportedRecord[]): Promise<number> => 0,
    batches: [] as (readonly number[])[],
    logged: [] as unknown[],
    waits: [] as { readonly ms: number; readonly end: () => void }[],
    isClosed: false,
  }
  const log = (fields: object, text?: string) => {
    state.logged.push({ ...fields, text })
  }
  const outlet = new AuditOutlet({
    name: 'a sink',
    sink: {
      send: (records) => {
        state.batches.push(records.map(({ number }) => number))
        return state.answer(records)
      },
      close: async () => {
        state.isClosed = true
      },
    },
    log: { debug: log, info: log, warn: log, error: log } as AuditOutletOptions['log'],
    wait: (ms, signal) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      state.waits.push({ ms, end: resolve })
      if (signal.aborted) resolve()
      signal.addEventListener('abort', () => resolve())
      return promise
    },
    ...options,
  })
  return {
    state,
    outlet,
    offer: (first: number, count: number, lane?: ExportedRecord['lane']) => {
      for (const record of sampleRecords(first, count, lane)) outlet.offer(record)
    },
    /** Ends the waits of this length. */
    pass: async (ms: number) => {
      for (const wait of state.waits.filter((one) => one.ms === ms)) wait.end()
      state.waits = state.waits.filter((one) => one.ms !== ms)
      await turns()
    },
  }
}

const collectMs = 200

describe('the queue in front of a log store', () => {
  it('sends all records of 200 ms in one batch, in order, and nothing without records', async () => {
    const { state, offer, pass, outlet } = outletFixture()
    offer(1, 3)
    assert.deepEqual(state.batches, [])
    await pass(collectMs)
    assert.deepEqual(state.batches, [[1, 2, 3]])
    assert.deepEqual(outlet.figures, { queued: 0, dropped: 0, failures: 0 })
    assert.deepEqual(state.waits, [])
    offer(4, 1)
    await pass(collectMs)
    assert.deepEqual(state.batches[1], [4])
  })

  it('sends full batches without a delay', async () => {
    const { state, offer, pass } = outletFixture()
    offer(1, 1200)
    await pass(collectMs)
    assert.deepEqual(
      state.batches.map(({ length }) => length),
      [500, 500],
    )
    await pass(collectMs)
    assert.deepEqual(state.batches.flat(), numbers(1, 1200))
  })

  it('retries a batch after increasing delays, and logs the first failure and the recovery', async () => {
    const { state, offer, pass, outlet } = outletFixture()
    state.answer = () => Promise.reject(new Error('away'))
    offer(1, 500)
    await pass(collectMs)
    for (const ms of [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000]) await pass(ms)
    assert.equal(state.waits[0]?.ms, 30_000)
    assert.deepEqual(outlet.figures, { queued: 500, dropped: 0, failures: 9 })
    state.answer = async () => 0
    await pass(30_000)
    assert.deepEqual(outlet.figures, { queued: 0, dropped: 0, failures: 9 })
    assert.deepEqual(
      state.logged.map((line) => (line as { text: string }).text),
      ['export of the audit log failed', 'export of the audit log succeeds again'],
    )
  })

  for (const [demanded, waited] of [
    [7000, 7000],
    [86_400_000, 300_000],
    [undefined, 250],
  ] as const)
    it(`waits ${waited} ms when the store demands ${demanded} ms`, async () => {
      const { state, offer, pass } = outletFixture()
      state.answer = () => Promise.reject(Object.assign(new Error(), { retryAfterMs: demanded }))
      offer(1, 1)
      await pass(collectMs)
      assert.equal(state.waits[0]?.ms, waited)
    })

  it('drops new records of a full lane, but none of another lane', async () => {
    const { state, offer, pass, outlet } = outletFixture({ maxRecords: 3 })
    state.answer = () => Promise.reject(new Error('away'))
    offer(1, 5, 'unauthenticated')
    offer(6, 2, 'changes')
    assert.deepEqual(outlet.figures, { queued: 5, dropped: 2, failures: 0 })
    await pass(collectMs)
    state.answer = async () => 0
    await pass(250)
    await pass(collectMs)
    assert.deepEqual(state.batches.at(-1), [1, 2, 3, 6, 7])
    offer(8, 1, 'unauthenticated')
    assert.deepEqual(outlet.figures, { queued: 1, dropped: 2, failures: 1 })
  })

  it('is also limited by the total size of the records', async () => {
    const { offer, outlet } = outletFixture({ maxBytes: 1000 })
    offer(1, 5)
    assert.deepEqual(outlet.figures, { queued: 3, dropped: 2, failures: 0 })
  })

  it('counts permanently rejected records, and sends the next records', async () => {
    const { state, offer, pass, outlet } = outletFixture()
    state.answer = async () => 2
    offer(1, 500)
    await pass(collectMs)
    assert.deepEqual(outlet.figures, { queued: 0, dropped: 2, failures: 1 })
    state.answer = async () => 0
    offer(501, 1)
    await pass(collectMs)
    assert.deepEqual(state.batches[1], [501])
  })

  it('logs the number of lost records at most once a minute', async () => {
    const { state, offer, pass } = outletFixture({ maxRecords: 1 })
    const losses = () =>
      state.logged.flatMap((line) => ('lost' in (line as object) ? [line] : [])) as object[]
    offer(1, 4)
    assert.deepEqual(losses(), [])
    await pass(60_000)
    const text = 'audit records were not exported'
    const [line] = losses()
    assert.deepEqual(line, {
      sink: 'a sink',
      lost: 3,
      queued: 1,
      dropped: 3,
      failures: 0,
      text,
    })
    assert.ok(!state.waits.some(({ ms }) => ms === 60_000))
    offer(5, 1)
    await pass(60_000)
    assert.equal(losses().length, 2)
  })

  it('sends the waiting records when it stops, even during a retry delay', async () => {
    const { state, offer, pass, outlet } = outletFixture()
    state.answer = () => Promise.reject(new Error('away'))
    offer(1, 2)
    await pass(collectMs)
    state.answer = async () => 0
    await outlet.stop()
    assert.deepEqual(state.batches, [
      [1, 2],
      [1, 2],
    ])
    assert.equal(outlet.figures.dropped, 0)
    assert.ok(state.isClosed)
  })

  for (const [state, answer] of [
    ['fails', () => Promise.reject(new Error('away'))],
    ['does not respond', () => new Promise<never>(() => undefined)],
  ] as const)
    it(`stops within 2 s and counts the remaining records if the store ${state}`, async () => {
      const { state, offer, pass, outlet } = outletFixture()
      state.answer = answer
      offer(1, 700)
      await turns()
      const stopped = outlet.stop()
      await turns()
      await pass(2000)
      await stopped
      assert.ok(state.isClosed)
      assert.equal(state.batches.length, 1)
      assert.equal(outlet.figures.queued, 0)
      assert.equal(outlet.figures.dropped, 700)
      assert.equal((state.logged.at(-1) as { lost: number }).lost, 700)
    })
})
