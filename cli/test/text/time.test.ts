import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { timeInWords, wholeSeconds } from '../../src/text/time.ts'

describe('a displayed time', () => {
  it('has whole seconds', () => {
    assert.equal(wholeSeconds('2026-01-31T12:00:00.500Z'), '2026-01-31T12:00:00Z')
    assert.equal(wholeSeconds('2026-01-31T12:00:00Z'), '2026-01-31T12:00:00Z')
  })

  for (const [seconds, text] of [
    [0, 'now'],
    [64 * 60, 'in 64 minutes'],
    [2 * 3_600, 'in 2 hours'],
    [-90, '90 seconds ago'],
    [-3 * 86_400, '3 days ago'],
  ] as const)
    it(`is "${text}" at a distance of ${seconds} s`, () => {
      assert.equal(timeInWords(1_000_000 + seconds, 1_000_000), text)
    })
})
