import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RefusalTally } from '../../src/endpoints/failed-login-rate-limit.ts'

describe('the tally of refusals (AS34)', () => {
  it('counts refusals by source, and starts at zero after each report', () => {
    const tally = new RefusalTally()
    for (const source of ['a', 'b', 'a']) tally.count(source)
    assert.deepEqual(
      [...tally.take()],
      [
        ['a', 2],
        ['b', 1],
      ],
    )
    assert.deepEqual([...tally.take()], [])
  })

  it('uses bounded memory: all further sources share one counter', () => {
    const tally = new RefusalTally()
    for (let source = 0; source < 5000; source += 1) tally.count(`${source}`)
    const counts = tally.take()
    assert.equal(counts.size, 1001)
    assert.equal(counts.get('0'), 1)
    assert.equal(counts.get('other sources'), 4000)
  })
})
