import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { waitUntilVisible } from '../../src/apply/index.ts'
import type { Plan } from '../../src/planning/index.ts'

const plan = (changes: number): Plan => ({
  changes: Array.from({ length: changes }, () => ({
    kind: 'createServicePrincipal',
    step: 'API registration',
    application: 'Greeting API',
    destructive: false,
  })),
  adoptions: [],
  faults: [],
  ifLeft: [],
  ifApplied: [],
  located: [],
})

/** Waits with a virtual clock for a directory that shows everything after `hiddenReads` reads. */
async function visibleAfter(hiddenReads: number) {
  let reads = 0
  let nowMs = 0
  const seen = await waitUntilVisible({
    plan: async () => {
      reads += 1
      return plan(reads > hiddenReads ? 0 : 1)
    },
    sleep: async (durationMs) => {
      nowMs += durationMs
    },
    monotonicMs: () => nowMs,
  })
  return { seen, reads, nowMs }
}

describe('waiting for changes to become visible', () => {
  it('stops immediately if the directory shows the changes', async () => {
    assert.deepEqual(await visibleAfter(0), { seen: true, reads: 1, nowMs: 0 })
  })

  it('reads again at increasing intervals until the directory shows the changes', async () => {
    const { seen, reads, nowMs } = await visibleAfter(4)
    assert.deepEqual({ seen, reads }, { seen: true, reads: 5 })
    assert.ok(nowMs > 500 && nowMs < 1_000, `${nowMs} ms`)
  })

  it('stops within a minute, and reports that the changes are not visible', async () => {
    const { seen, reads, nowMs } = await visibleAfter(1_000)
    assert.equal(seen, false)
    assert.ok(nowMs > 50_000 && nowMs <= 60_000, `${nowMs} ms`)
    assert.ok(reads < 30, `${reads} reads`)
  })
})
