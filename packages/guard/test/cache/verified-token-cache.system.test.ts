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

/** A generator of random numbers with a fixed seed (mulberry32). */
function seeded(): () => number {
  let state = 1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The share of requests whose token is found, when callers take turns five times. */
function shareFound(tokens: VerifiedTokenCache<ReturnType<typeof entry>>, callers: number): number {
  let found = 0
  for (let round = 0; round < 6; round += 1) {
    for (let caller = 0; caller < callers; caller += 1) {
      const authorization = tail(`${caller}`.padEnd(12, '*'))
      if (tokens.find(authorization) === undefined) tokens.add(entry(authorization))
      else if (round > 0) found += 1
    }
  }
  return found / (callers * 5)
}

describe('the cached tokens', () => {
  it('are found by their full text', () => {
    const tokens = new VerifiedTokenCache(10)
    const remembered = entry(`head.${tail('a')}`)
    tokens.add(remembered)
    assert.equal(tokens.find(`head.${tail('a')}`), remembered)
  })

  it('are cached after their first verification', () => {
    const tokens = new VerifiedTokenCache(10)
    const verified = entry(`head.${tail('a')}`)
    tokens.add(verified)
    assert.equal(tokens.find(`head.${tail('a')}`), verified)
    assert.equal(tokens.size, 1)
  })

  it('are not found by another text with the same ending (CVE-2026-35039)', () => {
    const tokens = new VerifiedTokenCache(10)
    tokens.add(entry(`head.${tail('a')}`))
    for (const token of [`Head.${tail('a')}`, `.${tail('a')}`, tail('a'), `xhead.${tail('a')}`]) {
      assert.equal(tokens.find(token), undefined)
    }
    assert.ok(tokens.find(`head.${tail('a')}`))
  })

  it('never exceed the capacity', () => {
    const tokens = new VerifiedTokenCache(100)
    for (let index = 0; index < 10_000; index += 1) {
      tokens.add(entry(tail(`${index}`)))
      assert.ok(tokens.size <= 100)
    }
    assert.ok(tokens.size > 50)
  })

  it('use as much memory after a million tokens as after ten thousand (ME1)', () => {
    const tokens = new VerifiedTokenCache(10_000)
    // Short texts: all of them would still take a hundred times as much memory as the test permits.
    const received = Buffer.from(`${'x'.repeat(100)}${' '.repeat(7)}.${tail('')}`)
    const remember = (from: number, to: number) => {
      for (let index = from; index < to; index += 1) {
        received.write(`${index}`.padStart(7, '-'), 100)
        received.write(`${index}`.padStart(7, '-'), received.length - 7)
        // Each a text of its own, as a server reads it, and not a part of another.
        tokens.add(entry(received.toString('latin1')))
      }
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const full = remember(0, 10_000)
    const afterMany = remember(10_000, 1_000_000)
    assert.ok(tokens.size <= 10_000)
    assert.ok(afterMany - full < 1_000_000, `${afterMany - full} bytes more`)
  })

  it('are all found again if there are no more callers than slots', () => {
    const tokens = new VerifiedTokenCache(10_000)
    assert.equal(shareFound(tokens, 10_000), 1)
  })

  for (const [callers, atLeast] of [
    [11_000, 0.65],
    [15_000, 0.2],
    [20_000, 0.06],
  ] as const) {
    it(`are partly found again if ${callers} callers take turns in 10,000 slots`, () => {
      const found = shareFound(new VerifiedTokenCache(10_000, seeded()), callers)
      assert.ok(found > atLeast, `${found}`)
    })
  }

  it('remain while they are in use', () => {
    const tokens = new VerifiedTokenCache(10)
    tokens.add(entry(tail('mine')))
    for (let index = 0; index < 1000; index += 1) {
      tokens.add(entry(tail(`${index}`)))
      assert.ok(tokens.find(tail('mine')), `${index}`)
    }
  })

  it('are evicted when they are unused', () => {
    const tokens = new VerifiedTokenCache(10, seeded())
    tokens.add(entry(tail('mine')))
    for (let index = 0; index < 200; index += 1) tokens.add(entry(tail(`${index}`)))
    assert.equal(tokens.find(tail('mine')), undefined)
  })

  it('replace each other if their hashes collide', () => {
    const tokens = new VerifiedTokenCache(10)
    const [first, second] = [entry(`a.${tail('')}`), entry(`b.${tail('')}`)]
    tokens.add(first)
    tokens.add(second)
    tokens.delete(first)
    assert.deepEqual(
      [tokens.find(first.authorization), tokens.find(second.authorization)],
      [undefined, second],
    )
    assert.equal(tokens.size, 1)
  })

  it('do not exist if the capacity is 0', () => {
    const tokens = new VerifiedTokenCache(0)
    tokens.add(entry(tail('a')))
    assert.equal(tokens.size, 0)
  })

  it('are deleted one by one, in any order', () => {
    const tokens = new VerifiedTokenCache(3)
    const entries = ['a', 'b', 'c'].map((name) => entry(tail(name)))
    for (const one of entries) tokens.add(one)
    for (const [index, one] of entries.entries()) {
      tokens.delete(one)
      const rest = entries.slice(index + 1)
      assert.equal(tokens.size, rest.length)
      assert.deepEqual(
        entries.filter(({ authorization }) => tokens.find(authorization) !== undefined),
        rest,
      )
    }
  })

  it('are deleted when their key is removed, while others remain', () => {
    const tokens = new VerifiedTokenCache(6)
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    for (const name of names) {
      tokens.add(entry(tail(name), 'acf'.includes(name) ? otherKey : key))
    }
    otherKey.isPublished = false
    tokens.deleteUnpublished()
    assert.deepEqual(
      names.filter((name) => tokens.find(tail(name)) !== undefined),
      ['b', 'd', 'e'],
    )
    assert.equal(tokens.size, 3)
  })

  for (const token of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    it(`are not found with ${token} (TC4)`, () => {
      assert.equal(new VerifiedTokenCache(10).find(token), undefined)
    })
  }
})
