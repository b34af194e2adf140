import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { BloomFilter } from '../../src/cache/bloom-filter.ts'

/** A mark as a signature would give it. */
const markLike = (index: number) => createHash('sha256').update(`${index}`).digest().readInt32LE()

describe('a doorkeeper', () => {
  for (const mark of [0, 1, -1, 0x7fffffff, -0x80000000, 0x811c9dc5]) {
    it(`has not seen ${mark} the first time, and has from then on`, () => {
      const doorkeeper = new BloomFilter(10)
      assert.deepEqual(
        [1, 2, 3].map(() => doorkeeper.hasSeen(mark)),
        [false, true, true],
      )
    })
  }

  for (const count of [1_000, 10_000, 65_536]) {
    it(`knows ${count} marks again, and takes at most one stranger in fifty for known`, () => {
      const doorkeeper = new BloomFilter(count)
      const marks = Array.from({ length: count }, (_, index) => markLike(index))
      const taken = marks.filter((mark) => doorkeeper.hasSeen(mark))
      assert.ok(taken.length <= count / 50, `${taken.length} strangers`)
      assert.ok(marks.every((mark) => doorkeeper.hasSeen(mark)))
    })
  }

  it('has seen nobody when it may tell none apart', () => {
    const doorkeeper = new BloomFilter(0)
    for (const _ of ['once', 'again', 'and again']) assert.equal(doorkeeper.hasSeen(1), false)
  })

  it('forgets them all when one more comes than it may tell apart', () => {
    const doorkeeper = new BloomFilter(3)
    const [first = 0, second = 0, third = 0, fourth = 0] = [1, 2, 3, 4].map(markLike)
    for (const mark of [first, second, third]) doorkeeper.hasSeen(mark)
    assert.equal(doorkeeper.hasSeen(first), true)
    assert.equal(doorkeeper.hasSeen(fourth), false)
    assert.equal(doorkeeper.hasSeen(fourth), true)
    assert.equal(doorkeeper.hasSeen(first), false)
  })
})
