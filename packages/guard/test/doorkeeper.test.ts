import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Doorkeeper } from '../src/doorkeeper.ts'

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

  it('knows ten thousand texts again, and takes at most one stranger in fifty for known', () => {
    const doorkeeper = new Doorkeeper(10_000)
    const texts = Array.from({ length: 10_000 }, (_, index) => `${index}`.padStart(12, 'x'))
    const taken = texts.filter((text) => doorkeeper.hasSeen(text))
    assert.ok(taken.length <= 200, `${taken.length} strangers`)
    assert.ok(texts.every((text) => doorkeeper.hasSeen(text)))
  })

  it('forgets them all when one more comes than it may tell apart', () => {
    const doorkeeper = new Doorkeeper(3)
    for (const text of ['a', 'b', 'c']) doorkeeper.hasSeen(text)
    assert.equal(doorkeeper.hasSeen('a'), true)
    assert.equal(doorkeeper.hasSeen('d'), false)
    assert.equal(doorkeeper.hasSeen('d'), true)
    assert.equal(doorkeeper.hasSeen('a'), false)
  })
})
