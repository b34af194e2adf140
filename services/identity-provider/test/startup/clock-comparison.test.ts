import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ClockComparison } from '../../src/startup/clock-comparison.ts'

const storeMs = Date.parse('2030-01-01T00:00:00Z')

function comparisonAt(offsetsSeconds: readonly number[]) {
  const logged: string[] = []
  const rest = offsetsSeconds.flatMap((seconds) => [seconds, seconds])
  const clock = new ClockComparison({
    readStoreMs: async () => storeMs,
    now: () => new Date(storeMs + (rest.shift() ?? 0) * 1000),
    log: {
      warn: (_, text) => logged.push(`warn: ${text}`),
      info: (_, text) => logged.push(`info: ${text}`),
    },
  })
  return { clock, logged }
}

describe('the comparison of the clocks', () => {
  for (const [offset, sentence] of [
    [30, undefined],
    [60, 'ahead of'],
    [-60, 'behind'],
  ] as const) {
    it(`reports a clock that is ${offset} s ahead ${sentence ? 'once' : 'never'}`, async () => {
      const { clock, logged } = comparisonAt([offset, offset])
      await clock.compare()
      await clock.compare()
      assert.equal(clock.offsetSeconds, offset)
      const expected = `warn: the clock of this server is 60 s ${sentence} the clock of the database: correct the wrong one`
      assert.deepEqual(logged, sentence ? [expected] : [])
    })
  }

  it('reports the end of a difference', async () => {
    const { clock, logged } = comparisonAt([60, 1])
    await clock.compare()
    await clock.compare()
    assert.equal(logged[1], 'info: the clock agrees with the database again')
  })

  it('has no result for a store without a clock of its own', async () => {
    const clock = new ClockComparison({
      readStoreMs: async () => undefined,
      now: () => new Date(0),
      log: { warn: () => assert.fail(), info: () => assert.fail() },
    })
    await clock.compare()
    assert.equal(clock.offsetSeconds, undefined)
  })
})
