import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventLoopTurns } from '../../../src/management/http/event-loop-turns.ts'

describe('turns of the event loop', () => {
  it('have one caller each, in the order of their calls', async () => {
    let turn = 0
    const count = () => {
      turn += 1
      counter = setImmediate(count)
    }
    let counter = setImmediate(count)
    const turns = new EventLoopTurns()
    const found: [string, number][] = []
    await Promise.all(
      ['first', 'second', 'third'].map(async (name) => {
        await turns.next()
        found.push([name, turn])
      }),
    )
    clearImmediate(counter)
    assert.deepEqual(
      found.map(([name]) => name),
      ['first', 'second', 'third'],
    )
    assert.equal(new Set(found.map(([, number]) => number)).size, 3)
  })
})
