import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { signaturesPerSecond } from '../harness/openssl-speed.ts'

describe('openssl speed', () => {
  it('says how many signatures a core makes in a second', () => {
    const printed = '+DTP:2048:private:rsa:3600\n+R1:7612:2048:2.00\n+DTP:2048:public:rsa:3600\n'
    assert.equal(signaturesPerSecond(printed), 3806)
  })

  it('is not believed when it says nothing of the kind', () => {
    assert.throws(() => signaturesPerSecond('speed: Unknown algorithm'), /Unknown algorithm/)
  })
})
