import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { waitUntilVisible } from '../../../src/registrations/apply/wait-until-visible.ts'
import type { Plan } from '../../../src/registrations/planning/plan.ts'

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

/** Waits in a world without time, before a directory that shows everything after `looks` looks. */
async function settled(looks: number) {
  let looked = 0
  let nowMs = 0
  const seen = await waitUntilVisible({
    plan: async () => {
      looked += 1
      return plan(looked > looks ? 0 : 1)
    },
    sleep: async (durationMs) => {
      nowMs += durationMs
    },
    monotonicMs: () => nowMs,
  })
  return { seen, looked, nowMs }
}

describe('settling', () => {
  it('ends at once when the directory shows the changes', async () => {
    assert.deepEqual(await settled(0), { seen: true, looked: 1, nowMs: 0 })
  })

  it('looks again, ever more calmly, until the directory shows it', async () => {
    const { seen, looked, nowMs } = await settled(4)
    assert.deepEqual({ seen, looked }, { seen: true, looked: 5 })
    assert.ok(nowMs > 500 && nowMs < 1_000, `${nowMs} ms`)
  })

  it('gives up within a minute, and says so', async () => {
    const { seen, looked, nowMs } = await settled(1_000)
    assert.equal(seen, false)
    assert.ok(nowMs > 50_000 && nowMs <= 60_000, `${nowMs} ms`)
    assert.ok(looked < 30, `${looked} looks`)
  })
})
