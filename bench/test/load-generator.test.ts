import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type LoadGenerator, makeLoad } from '../harness/load-generator.ts'

const report = '{"requests":7,"seconds":0.5,"p99Ms":1,"turns":0,"failures":{}}'

/** Stands in for a program that makes load: a shell that does as it is told. */
const generator = (endsWhenInterrupted: boolean, script: string): LoadGenerator => ({
  name: 'wrk',
  endsWhenInterrupted,
  command: () => ['sh', '-c', script],
})

const load = (seconds: number) => ({ url: 'http://server.example', seconds, connections: 1 })

describe('a load', () => {
  it('of less than a second is interrupted where that makes the program report', async () => {
    const untilInterrupted = `trap 'echo; echo ${JSON.stringify(report)}; exit' INT; while :; do sleep 0.02; done`
    const { requests } = await makeLoad(generator(true, untilInterrupted), load(0.4), [])
    assert.equal(requests, 7)
  })

  for (const [name, endsWhenInterrupted, seconds] of [
    ['of whole seconds', true, 1],
    ['of a program that cannot be interrupted', false, 0.01],
  ] as const) {
    it(`${name} ends by itself`, async () => {
      const byItself = `trap 'exit 1' INT; sleep 0.1; echo ${JSON.stringify(report)}`
      const { requests } = await makeLoad(
        generator(endsWhenInterrupted, byItself),
        load(seconds),
        [],
      )
      assert.equal(requests, 7)
    })
  }

  it('that ends without a report is a failure', async () => {
    await assert.rejects(
      makeLoad(generator(false, 'echo done'), load(1), []),
      /reported nothing: done/,
    )
  })
})
