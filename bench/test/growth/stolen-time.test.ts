import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { leastStolen, processorTime, stolenShare } from '../../growth/stolen-time.ts'

describe('the stolen share of processor time', () => {
  it('compares two readings of /proc/stat', () => {
    const from = processorTime('cpu  100 0 50 800 10 0 5 35 7 0\ncpu0 1 2 3\n')
    const to = processorTime('cpu  150 0 60 830 10 0 5 45 9 0\n')
    assert.deepEqual(from, { total: 1000, stolen: 35 })
    assert.equal(stolenShare(from, to), 0.1)
  })

  const unknown = ['', 'cpu  1 2 3 4', 'intr 1 2 3 4 5 6 7 8 9']
  for (const text of unknown) {
    it(`is unknown with ${JSON.stringify(text)}`, () => {
      assert.equal(processorTime(text), undefined)
      assert.equal(stolenShare(processorTime(text), processorTime(text)), null)
    })
  }
})

describe('a measurement', () => {
  /** Runs a measurement whose attempts lose these ticks of a hundred, and counts the attempts. */
  const measured = async (stolenTicks: readonly (number | undefined)[]) => {
    let attempts = 0
    let [total, stolen] = [0, 0]
    const read = () => (stolenTicks.includes(undefined) ? undefined : { total, stolen })
    const result = await leastStolen(async () => {
      total += 100
      stolen += stolenTicks[attempts] ?? 0
      attempts += 1
      return `attempt ${attempts}`
    }, read)
    return { result, attempts }
  }

  const rows = [
    { losses: [0], result: 'attempt 1', attempts: 1 },
    { losses: [5, 0], result: 'attempt 2', attempts: 2 },
    { losses: [5, 3, 4, 9, 0], result: 'attempt 2', attempts: 4 },
    // Where the system does not say.
    { losses: [undefined], result: 'attempt 1', attempts: 1 },
  ]
  for (const { losses, ...expected } of rows) {
    it(`whose attempts lose ${losses.map(String)} % keeps ${expected.result} of ${expected.attempts}`, async () => {
      assert.deepEqual(await measured(losses), expected)
    })
  }
})
