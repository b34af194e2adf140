import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TokenHeaderReader } from '../../src/token/token-header.ts'
import { TokenFactory } from '../token-factory.ts'

const forge = new TokenFactory('key-1')
const types = new Set(['jwt'])
const encode = (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url')
const headerOf = (kid: string) => encode(forge.header({ kid, x5t: undefined }))

describe('an accepted header', () => {
  it('is decoded only once', () => {
    const headers = new TokenHeaderReader(types)
    const first = headers.read(headerOf('key-1'))
    assert.deepEqual(first, { kid: 'key-1' })
    assert.equal(headers.read(headerOf('key-1')), first)
  })

  it('is not confused with a header that has the same start or end', () => {
    const headers = new TokenHeaderReader(types)
    const texts = [headerOf('key-1'), headerOf('key-2'), headerOf('key-1').slice(0, -1)]
    for (let again = 0; again < 2; again += 1) {
      assert.deepEqual(
        texts.map((text) => headers.read(text)),
        [{ kid: 'key-1' }, { kid: 'key-2' }, 'token_malformed'],
      )
    }
    const evil = encode({ ...forge.header(), alg: 'none' })
    assert.equal(headers.read(encode(forge.header())) === headers.read(evil), false)
    assert.equal(headers.read(evil), 'algorithm_not_rs256')
  })

  it('is evicted after a hundred other headers', () => {
    const headers = new TokenHeaderReader(types)
    const first = headers.read(headerOf('key-1'))
    for (let other = 0; other < 100; other += 1) headers.read(headerOf(`other-${other}`))
    const again = headers.read(headerOf('key-1'))
    assert.deepEqual(again, first)
    assert.notEqual(again, first)
  })
})

describe('a refused header', () => {
  it('is refused again for the same reason', () => {
    const headers = new TokenHeaderReader(types)
    const rows: [header: object, reason: string][] = [
      [{ ...forge.header(), alg: 'HS256' }, 'algorithm_not_rs256'],
      [{ ...forge.header(), crit: ['exp'] }, 'header_not_supported'],
      [{ ...forge.header(), typ: 'dpop+jwt' }, 'type_not_access_token'],
      [{ ...forge.header(), kid: '' }, 'header_malformed'],
    ]
    for (const [header, reason] of [...rows, ...rows]) {
      assert.equal(headers.read(encode(header)), reason)
    }
  })
})
