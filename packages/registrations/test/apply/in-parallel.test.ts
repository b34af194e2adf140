import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inParallel } from '../../src/apply/index.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const numbers = Array.from({ length: 20 }, (_, index) => index)

describe('parallel work', () => {
  for (const maxAtOnce of [1, 8, 64]) {
    it(`runs at most ${maxAtOnce} tasks at a time, and keeps the order of the results`, async () => {
      let now = 0
      let most = 0
      const results = await inParallel(numbers, maxAtOnce, async (number) => {
        now += 1
        most = Math.max(most, now)
        for (let turns = number % 3; turns >= 0; turns -= 1) await turn()
        now -= 1
        return number * 2
      })
      assert.deepEqual(
        results,
        numbers.map((number) => number * 2),
      )
      assert.equal(most, Math.min(maxAtOnce, numbers.length))
    })
  }

  it('begins no more tasks after a failure, and completes the others before it fails', async () => {
    const finished: number[] = []
    const work = inParallel(numbers, 3, async (number) => {
      await turn()
      if (number === 1) throw new Error('refused')
      await turn()
      finished.push(number)
    })
    await assert.rejects(work, /refused/)
    assert.deepEqual(finished, [0, 2])
  })

  it('does nothing for an empty list', async () => {
    assert.deepEqual(await inParallel([], 8, () => Promise.reject(new Error('no item'))), [])
  })
})
