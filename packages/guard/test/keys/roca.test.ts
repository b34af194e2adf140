import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isRoca } from '../../src/keys/roca.ts'
import { TokenFactory } from '../token-factory.ts'
import { rocaModulus } from './roca-modulus.ts'

describe('the fingerprint of CVE-2017-15361', () => {
  it('is found in a modulus from the flawed generator', () => {
    assert.equal(isRoca(rocaModulus), true)
  })

  it('is not found in a modulus from a correct generator', () => {
    for (let round = 0; round < 3; round += 1) {
      const { n } = new TokenFactory('key').jwk
      assert.equal(isRoca(BigInt(`0x${Buffer.from(`${n}`, 'base64url').toString('hex')}`)), false)
    }
  })

  it('is not found if a single residue differs', () => {
    assert.equal(isRoca(rocaModulus + 2n), false)
    assert.equal(isRoca(rocaModulus * 3n), false)
  })
})
