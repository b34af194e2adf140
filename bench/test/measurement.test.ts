import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Lab, Pace } from '../harness/contender.ts'
import type { LoadGenerator } from '../harness/load-generator.ts'
import { beginLoad } from '../harness/measurement.ts'

/** Asks nobody anything, and says at its end how long it was there and that it was answered 1000 times. */
const generator: LoadGenerator = {
  name: 'wrk',
  command: () => [
    process.execPath,
    '--eval',
    `const started = performance.now()
    const idle = setInterval(() => undefined, 1000)
    process.on('SIGINT', () => {
      const seconds = (performance.now() - started) / 1000
      console.log(JSON.stringify({ requests: 1000, seconds, p99Ms: 3, turns: 0, failures: {} }))
      clearInterval(idle)
    })
    console.error('ready')`,
  ],
}
const lab = { generator, cores: () => ({ server: [], load: [] }) } as unknown as Lab
const target = { serverCores: 1, pid: process.pid, request: { url: 'http://api.example' } } as const
const pace = (connections: number) => ({ connections }) as Pace

describe('a load that took turns', () => {
  it('counts only its turns, and not what was answered while it was held', async () => {
    const load = await beginLoad(target, lab, pace(64))
    const begun = performance.now()
    await wait(200)
    load.go()
    await wait(50)
    load.hold()
    await wait(200)
    const { requestsPerSecond, faults } = await load.end()
    const seconds = (performance.now() - begun) / 1000
    // Two holds, each with an answer for every connection.
    const answered = 1000 - 2 * 64
    assert.ok(
      requestsPerSecond > answered / (seconds - 0.38),
      'the time that it was held is left out',
    )
    assert.ok(requestsPerSecond <= answered / 0.05, 'the time of its turn is not')
    assert.deepEqual(faults, [])
  })

  it('does not count when all that was answered was answered while it was held', async () => {
    const load = await beginLoad(target, lab, pace(1000))
    load.go()
    load.hold()
    const { faults } = await load.end()
    assert.deepEqual(faults, ['no request was answered'])
  })
})
