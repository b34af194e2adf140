import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tokenTimes } from '../../../src/dialect/token/token-times.ts'

const now = new Date('2026-06-01T12:00:00.999Z')
const nowSeconds = Date.parse('2026-06-01T12:00:00Z') / 1000

describe('the times of a token', () => {
  it('are those of Entra, from five minutes ago until an hour from now', () => {
    const lifetime = { backdatingSeconds: 300, shortestSeconds: 3600, longestSeconds: 3600 }
    assert.deepEqual(tokenTimes(lifetime, now, 0.5), {
      issuedAt: nowSeconds - 300,
      expiresAt: nowSeconds + 3600,
      expiresInSeconds: 3599,
    })
  })

  const rows: [number, number][] = [
    [0, 3600],
    [0.5, 4500],
    [0.999999, 5400],
  ]
  for (const [random, lifetimeSeconds] of rows) {
    it(`end ${lifetimeSeconds} s from now for the random number ${random} between 60 and 90 minutes`, () => {
      const lifetime = { backdatingSeconds: 0, shortestSeconds: 3600, longestSeconds: 5400 }
      assert.equal(tokenTimes(lifetime, now, random).expiresAt, nowSeconds + lifetimeSeconds)
    })
  }
})
