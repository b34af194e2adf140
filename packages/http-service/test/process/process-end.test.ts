import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, it } from 'node:test'
import { type ChildProcess, watchParent } from '../../src/process/run-service.ts'

const send = () => true

/** Counts the calls for a process with these properties, before and after the channel closes. */
function callsFor(properties: object): readonly [atStart: number, afterClose: number] {
  const child = Object.assign(new EventEmitter(), properties)
  let calls = 0
  watchParent(child as unknown as ChildProcess, () => {
    calls += 1
  })
  const atStart = calls
  child.emit('disconnect')
  return [atStart, calls]
}

describe('the parent watch', () => {
  it('calls its function when the channel closes', () => {
    assert.deepEqual(callsFor({ send, connected: true }), [0, 1])
  })

  it('calls its function immediately if the channel closed during the start', () => {
    assert.equal(callsFor({ send, connected: false })[0], 1)
  })

  const withoutChannel = [
    { runtime: 'Node', connected: undefined },
    { runtime: 'Bun', connected: false },
  ]
  for (const { runtime, connected } of withoutChannel)
    it(`never calls its function without a channel, on ${runtime}`, () => {
      assert.deepEqual(callsFor({ send: undefined, connected }), [0, 0])
    })
})
