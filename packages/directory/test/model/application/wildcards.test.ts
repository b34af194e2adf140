import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { matchesWildcards } from '../../../src/model/application/claims-matching-expression.ts'

/** The same rule as a regular expression. */
const oracle = (pattern: string) =>
  new RegExp(
    `^${[...pattern].map((one) => (one === '*' ? '.*' : one === '?' ? '.' : one)).join('')}$`,
  )

/** All texts of some letters up to a length. */
const texts = (letters: string, length: number): string[] =>
  length === 0
    ? ['']
    : [
        '',
        ...texts(letters, length - 1).flatMap((end) => letters.split('').map((one) => one + end)),
      ]

describe('wildcards', () => {
  for (const [pattern, text, expected] of [
    ['refs/heads/*', 'refs/heads/main', true],
    ['refs/heads/*', 'refs/heads/', true],
    ['refs/heads/*', 'refs/heads/a/b', true],
    ['refs/heads/*', 'refs/tags/v1', false],
    ['refs/heads/????', 'refs/heads/main', true],
    ['refs/heads/????', 'refs/heads/next1', false],
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['a', 'A', false],
    ['.', 'a', false],
    ['[a]', 'a', false],
  ] as const)
    it(`${pattern} ${expected ? 'matches' : 'does not match'} '${text}'`, () =>
      assert.equal(matchesWildcards(pattern, text), expected))

  it('agree with regular expressions for all short patterns and texts', () => {
    const all = new Set(texts('ab', 4))
    for (const pattern of new Set(texts('a*?', 4))) {
      const expression = oracle(pattern)
      for (const text of all)
        assert.equal(matchesWildcards(pattern, text), expression.test(text), `${pattern} ${text}`)
    }
  })
})
