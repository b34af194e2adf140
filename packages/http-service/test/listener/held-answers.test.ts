import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HeldAnswers } from '../../src/listener/drain.ts'

describe('held responses', () => {
  it('run immediately, except between a hold and its release', () => {
    const held = new HeldAnswers()
    const run: number[] = []
    held.run(() => run.push(1))
    held.hold()
    held.run(() => run.push(2))
    held.run(() => run.push(3))
    assert.deepEqual(run, [1])
    held.release()
    assert.deepEqual(run, [1, 2, 3])
    held.run(() => run.push(4))
    assert.deepEqual(run, [1, 2, 3, 4])
  })
})
