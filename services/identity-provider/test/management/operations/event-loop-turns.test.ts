import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countTurns } from '../../../../../test/fixtures/directory/event-loop-counter.ts'
import { EventLoopTurns } from '../../../src/management/operations/operations-app.ts'

describe('turns of the event loop', () => {
  it('go to one caller each, in the order of the calls', async () => {
    const counter = countTurns()
    const turns = new EventLoopTurns()
    const found: [string, number][] = []
    await Promise.all(
      ['first', 'second', 'third'].map(async (name) => {
        await turns.next()
        found.push([name, counter.turns])
      }),
    )
    counter.stop()
    assert.deepEqual(
      found.map(([name]) => name),
      ['first', 'second', 'third'],
    )
    assert.equal(new Set(found.map(([, number]) => number)).size, 3)
  })
})
