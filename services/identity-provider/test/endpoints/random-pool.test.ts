import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { randomPool } from '../../src/startup/token-options.ts'

describe('a pool of random bytes', () => {
  it('returns each byte once, and reads a new block only when it is empty', () => {
    let next = 0
    const draws: number[] = []
    const draw = randomPool((length) => {
      draws.push(length)
      return Uint8Array.from({ length }, () => next++)
    }, 8)
    assert.deepEqual([...draw(3)], [0, 1, 2])
    assert.deepEqual([...draw(4)], [3, 4, 5, 6])
    assert.deepEqual([...draw(2)], [8, 9])
    assert.deepEqual([...draw(20)].length, 20)
    assert.deepEqual(draws, [8, 8, 20])
  })
})
