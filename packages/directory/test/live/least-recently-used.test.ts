import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LeastRecentlyUsed } from '../../src/live/least-recently-used.ts'

/** Entries `a`, `b` and `c`, each as heavy as its value. */
function threeEntries(maxWeight: number) {
  const entries = new LeastRecentlyUsed<number>(maxWeight, (value) => value)
  entries.set('a', 1)
  entries.set('b', 2)
  entries.set('c', 3)
  return entries
}

const keysIn = (entries: LeastRecentlyUsed<number>) =>
  ['a', 'b', 'c'].filter((key) => entries.peek(key) !== undefined)

describe('a map of the least recently used entries', () => {
  it('keeps as many entries as the limit allows', () => {
    const entries = threeEntries(6)
    entries.trim()
    assert.deepEqual(keysIn(entries), ['a', 'b', 'c'])
  })

  it('removes the least recently used entries beyond the limit', () => {
    const entries = threeEntries(4)
    assert.equal(entries.use('a'), 1)
    entries.trim()
    assert.deepEqual([keysIn(entries), entries.weight], [['a', 'c'], 4])
  })

  it('orders its entries by their last use or change, after any sequence of calls', () => {
    const rows: readonly (readonly [uses: string, kept: string])[] = [
      ['', 'bc'],
      ['c', 'bc'],
      ['b', 'bc'],
      ['ab', 'ab'],
      ['bca', 'ac'],
      ['AB', 'ab'],
      ['cAb', 'ab'],
    ]
    for (const [uses, kept] of rows) {
      const entries = new LeastRecentlyUsed<number>(2)
      for (const key of ['a', 'b', 'c']) entries.set(key, 0)
      for (const use of uses) {
        const key = use.toLowerCase()
        if (use === key) assert.equal(entries.use(key), 0)
        else entries.set(key, 0)
      }
      entries.trim()
      assert.deepEqual([keysIn(entries).join(''), entries.weight], [kept, 2], uses)
    }
  })

  it('works after its last entry was removed', () => {
    const entries = new LeastRecentlyUsed<number>(0)
    entries.set('a', 1)
    entries.trim()
    assert.deepEqual([keysIn(entries), entries.use('a')], [[], undefined])
    entries.set('b', 1)
    entries.delete('b')
    entries.trim()
    assert.deepEqual([keysIn(entries), entries.weight], [[], 0])
  })

  it('does not treat an inspection as a use', () => {
    const entries = threeEntries(5)
    entries.peek('a')
    entries.trim()
    assert.deepEqual(keysIn(entries), ['b', 'c'])
  })

  it("uses the weight of an entry's new value, not of its old value", () => {
    const entries = threeEntries(6)
    entries.set('c', 1)
    assert.equal(entries.weight, 4)
    entries.delete('b')
    assert.equal(entries.weight, 2)
    entries.delete('b')
    assert.equal(entries.weight, 2)
    entries.clear()
    assert.deepEqual([keysIn(entries), entries.weight], [[], 0])
  })
})
