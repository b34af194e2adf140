import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collectGarbage } from '../../measurements/garbage.ts'
import { VerifiedTokenCache } from '../../src/cache/verified-token-cache.ts'
import { admitKey } from '../../src/keys/verification-key.ts'
import { TokenFactory } from '../token-factory.ts'

const key = admitKey(new TokenFactory('key-1').jwk, undefined)
assert.ok(typeof key !== 'string')
const otherKey = { ...key, kid: 'key-2' }

const tail = (seed: string) => seed.padStart(43, '-')
const entry = (authorization: string, by = key) => ({ authorization, key: by })

describe('remembered tokens', () => {
  it('are found by their whole text', () => {
    const tokens = new VerifiedTokenCache(10)
    const remembered = entry(`head.${tail('a')}`)
    tokens.add(remembered)
    assert.equal(tokens.find(`head.${tail('a')}`), remembered)
  })

  it('are remembered when they are verified for the first time', () => {
    const tokens = new VerifiedTokenCache(10)
    const verified = entry(`head.${tail('a')}`)
    tokens.add(verified)
    assert.equal(tokens.find(`head.${tail('a')}`), verified)
    assert.equal(tokens.size, 1)
  })

  it('are not found by another text with the same tail (CVE-2026-35039)', () => {
    const tokens = new VerifiedTokenCache(10)
    tokens.add(entry(`head.${tail('a')}`))
    for (const token of [`Head.${tail('a')}`, `.${tail('a')}`, tail('a'), `xhead.${tail('a')}`]) {
      assert.equal(tokens.find(token), undefined)
    }
    assert.ok(tokens.find(`head.${tail('a')}`))
  })

  it('are not found by another text with the same tail in the older generation either', () => {
    const tokens = new VerifiedTokenCache(2)
    tokens.add(entry(`head.${tail('a')}`))
    tokens.add(entry(`head.${tail('b')}`))
    assert.equal(tokens.find(`Head.${tail('a')}`), undefined)
    assert.ok(tokens.find(`head.${tail('a')}`))
  })

  it('are never more than the capacity', () => {
    const tokens = new VerifiedTokenCache(100)
    for (let index = 0; index < 10_000; index += 1) {
      tokens.add(entry(tail(`${index}`)))
      assert.ok(tokens.size <= 100)
    }
    assert.ok(tokens.size > 50)
  })

  it('take the same memory after a million of them as after ten thousand (ME1)', () => {
    const tokens = new VerifiedTokenCache(10_000)
    const body = 'x'.repeat(1250)
    const remember = (from: number, to: number) => {
      for (let index = from; index < to; index += 1) {
        // Each a text of its own, as a server reads it, and not a part of another.
        tokens.add(entry(Buffer.from(`${body}${index}.${tail(`${index}`)}`).toString('latin1')))
      }
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const full = remember(0, 10_000)
    const afterMany = remember(10_000, 1_000_000)
    assert.ok(tokens.size <= 10_000)
    assert.ok(afterMany - full < 1_000_000, `${afterMany - full} bytes more`)
  })

  it('stay while they are asked for', () => {
    const tokens = new VerifiedTokenCache(10)
    tokens.add(entry(tail('mine')))
    for (let index = 0; index < 1000; index += 1) {
      tokens.add(entry(tail(`${index}`)))
      assert.ok(tokens.find(tail('mine')), `${index}`)
    }
  })

  it('go once nobody asks for them', () => {
    const tokens = new VerifiedTokenCache(10)
    tokens.add(entry(tail('mine')))
    for (let index = 0; index < 10; index += 1) tokens.add(entry(tail(`${index}`)))
    assert.equal(tokens.find(tail('mine')), undefined)
  })

  it('are none without a capacity', () => {
    const tokens = new VerifiedTokenCache(0)
    tokens.add(entry(tail('a')))
    assert.equal(tokens.size, 0)
  })

  it('can be forgotten one by one, in both generations', () => {
    const tokens = new VerifiedTokenCache(2)
    const [old, young] = [entry(tail('old')), entry(tail('young'))]
    tokens.add(old)
    tokens.add(young)
    tokens.delete(old)
    assert.equal(tokens.find(tail('old')), undefined)
    tokens.delete(young)
    assert.equal(tokens.size, 0)
  })

  it('are forgotten in both generations when their key is gone, and no others', () => {
    const tokens = new VerifiedTokenCache(4)
    for (const name of ['a', 'b', 'c', 'd']) {
      tokens.add(entry(tail(name), name < 'c' ? otherKey : key))
    }
    otherKey.isPublished = false
    tokens.deleteUnpublished()
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].filter((name) => tokens.find(tail(name)) !== undefined),
      ['c', 'd'],
    )
  })

  for (const token of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    it(`are not found under ${token} (TC4)`, () => {
      assert.equal(new VerifiedTokenCache(10).find(token), undefined)
    })
  }
})
