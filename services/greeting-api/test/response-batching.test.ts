import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { inBatches } from '../src/response-batching.ts'

const request = new Request('http://a/')

describe('answers in batches', () => {
  const rows: readonly [count: number, within: number][] = [
    [1, 0],
    [31, 0],
    [32, 32],
    [33, 32],
    [70, 64],
  ]
  for (const [count, within] of rows) {
    it(`go out when the turn ends, and ${within} of ${count} before, in their order`, async () => {
      const fetch = inBatches(() => new Response())
      const sent: number[] = []
      const answers = Array.from({ length: count }, async (_, answer) => {
        await fetch(request)
        sent.push(answer)
      })
      // All microtasks come before this, and the end of the turn after it.
      await new Promise<void>((resolve) => queueMicrotask(() => process.nextTick(resolve)))
      assert.equal(sent.length, within)
      await endOfTurn()
      await Promise.all(answers)
      assert.deepEqual(
        sent,
        Array.from({ length: count }, (_, answer) => answer),
      )
    })
  }

  it('begin anew in each turn', async () => {
    const fetch = inBatches(() => new Response('answered'))
    for (let turn = 0; turn < 3; turn++) {
      const response = await fetch(request)
      assert.equal(await response.text(), 'answered')
    }
  })

  it('wait for nobody when they had to be waited for', async () => {
    const late = Promise.resolve(new Response('answered'))
    assert.equal(inBatches(() => late)(request), late)
  })

  it('fail alone when the app throws', async () => {
    const fetch = inBatches((asked) => {
      if (asked === request) throw new Error('no answer')
      return new Response('answered')
    })
    const other = fetch(new Request('http://a/other'))
    assert.throws(() => fetch(request), { message: 'no answer' })
    assert.equal(await (await other).text(), 'answered')
  })
})
