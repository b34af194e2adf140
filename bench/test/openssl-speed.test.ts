import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { signaturesPerSecond } from '../harness/openssl-speed.ts'

describe('openssl speed', () => {
  it('says how many signatures a core makes in a second', () => {
    const printed = '+H:16:64\n+F2:2:2048:4105.000000:61137.000000\n'
    assert.equal(signaturesPerSecond(printed), 4105)
  })

  it('is not believed when it says nothing of the kind', () => {
    assert.throws(() => signaturesPerSecond('speed: Unknown algorithm'), /Unknown algorithm/)
  })
})
