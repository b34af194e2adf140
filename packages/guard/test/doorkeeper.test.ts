import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { Doorkeeper } from '../src/doorkeeper.ts'

/** Twelve characters that look like the end of a signature. */
const tailLike = (index: number) =>
  createHash('sha256').update(`${index}`).digest('base64url').slice(0, 12)

describe('a doorkeeper', () => {
  for (const text of ['', 'a', 'ab', 'ba', 'XyZ_-0123456', '__proto__', 'é']) {
    it(`has not seen "${text}" the first time, and has from then on`, () => {
      const doorkeeper = new Doorkeeper(10)
      assert.deepEqual(
        [1, 2, 3].map(() => doorkeeper.hasSeen(text)),
        [false, true, true],
      )
    })
  }

  for (const count of [1_000, 10_000, 65_536]) {
    it(`knows ${count} texts again, and takes at most one stranger in fifty for known`, () => {
      const doorkeeper = new Doorkeeper(count)
      const texts = Array.from({ length: count }, (_, index) => tailLike(index))
      const taken = texts.filter((text) => doorkeeper.hasSeen(text))
      assert.ok(taken.length <= count / 50, `${taken.length} strangers`)
      assert.ok(texts.every((text) => doorkeeper.hasSeen(text)))
    })
  }

  it('forgets them all when one more comes than it may tell apart', () => {
    const doorkeeper = new Doorkeeper(3)
    for (const text of ['a', 'b', 'c']) doorkeeper.hasSeen(text)
    assert.equal(doorkeeper.hasSeen('a'), true)
    assert.equal(doorkeeper.hasSeen('d'), false)
    assert.equal(doorkeeper.hasSeen('d'), true)
    assert.equal(doorkeeper.hasSeen('a'), false)
  })
})
