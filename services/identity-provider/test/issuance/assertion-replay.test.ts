import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mayHaveBeenUsed } from '../../src/issuance/assertion-facts.ts'

const at = (text: string) => new Date(`2030-01-01T${text}Z`)
const times = { clockToleranceSeconds: 60, maxLifetimeSeconds: 3600 }
const wentBackAt = at('12:00:00')

describe('an assertion that is valid once (AS37)', () => {
  const rows: [string, Date | null, Date | null, string, boolean][] = [
    ['was made before the store was rolled back', at('11:59:00'), null, '12:00:01', true],
    ['was made by a clock that may be ahead', at('12:01:00'), null, '12:01:01', true],
    ['was made after the store was rolled back', at('12:01:01'), null, '12:01:02', false],
    ['starts after the store was rolled back', null, at('12:01:01'), '12:01:02', false],
    ['contains no creation time', null, null, '12:30:00', true],
    ['arrives while an earlier assertion may still be valid', null, null, '13:02:00', true],
    ['arrives after all earlier assertions have expired', null, null, '13:02:01', false],
  ]
  for (const [what, issuedAt, notBefore, now, expected] of rows) {
    it(`that ${what} ${expected ? 'may have been' : 'was not'} used in the lost history`, () => {
      const answer = mayHaveBeenUsed({ issuedAt, notBefore }, wentBackAt, times, at(now))
      assert.equal(answer, expected)
    })
  }

  it('is never suspected of replay if the store was not rolled back', () => {
    const assertion = { issuedAt: null, notBefore: null }
    assert.equal(mayHaveBeenUsed(assertion, undefined, times, at('12:00:00')), false)
  })
})
