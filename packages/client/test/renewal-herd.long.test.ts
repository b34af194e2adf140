import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { settled, tokenSourceIn } from './fakes/token-source-in.ts'
import { grant, VirtualRuntime } from './fakes/virtual-runtime.ts'

const clients = 1_000
const lifetimeSeconds = 3_599
const tickSeconds = 20
const windowSeconds = 120

/** Pseudo-random numbers that are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe('1,000 clients whose tokens expire in the same second', () => {
  it('spread their renewals so that they reach at most twice the mean rate (CL8)', async () => {
    const environment = new VirtualRuntime(grant('t', lifetimeSeconds))
    const random = numbers(7)
    const runtime = { ...environment.runtime, random }
    const herd = Array.from({ length: clients }, () => tokenSourceIn(environment, { runtime }))
    const all = () => Promise.all(herd.map(({ token }) => token()))
    await all()
    assert.equal(environment.sent.length, clients)

    const renewals: number[] = []
    const hours = 3
    for (let passed = 0; passed < hours * 3600; passed += tickSeconds) {
      const before = environment.sent.length
      environment.pass(tickSeconds * 1000)
      await all()
      await settled()
      const window = Math.floor(passed / windowSeconds)
      renewals[window] = (renewals[window] ?? 0) + environment.sent.length - before
    }
    const mean = renewals.reduce((sum, count) => sum + count, 0) / renewals.length
    const most = Math.max(...renewals)
    assert.ok(
      most <= 2 * mean,
      `${most} in ${windowSeconds} s, where the mean is ${mean.toFixed(1)}`,
    )
  })
})
