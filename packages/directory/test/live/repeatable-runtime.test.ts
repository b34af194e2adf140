import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RepeatableRuntime } from '../../src/live/repeatable-runtime.ts'
import { systemRuntime } from '../../src/model/runtime.ts'

describe('a repeatable runtime', () => {
  it('returns the same values when it is repeated, and new values otherwise', () => {
    const runtime = new RepeatableRuntime(systemRuntime)
    const values = () => [
      runtime.newGuid(),
      runtime.newGuid(),
      runtime.randomBytes(16),
      runtime.now(),
    ]
    const first = values()
    assert.notEqual(first[0], first[1])
    assert.notDeepEqual(values(), first)
    runtime.repeat()
    assert.deepEqual(values(), first)
  })

  it('creates a new value if the repetition requests another length', () => {
    const runtime = new RepeatableRuntime(systemRuntime)
    runtime.randomBytes(16)
    runtime.repeat()
    assert.equal(runtime.randomBytes(32).length, 32)
  })
})
