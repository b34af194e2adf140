import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  matchesClaims,
  parseClaimsMatchingExpression,
} from '../../../src/model/application/claims-matching-expression.ts'

const branches = "claims['sub'] matches 'repo:contoso/orders:ref:refs/heads/*'"
const repository = "claims['repository_id'] eq '456789'"

describe('a claims matching expression', () => {
  it('consists of comparisons', () => {
    assert.deepEqual(parseClaimsMatchingExpression(`${branches} and ${repository}`), [
      { claim: 'sub', operator: 'matches', comparand: 'repo:contoso/orders:ref:refs/heads/*' },
      { claim: 'repository_id', operator: 'eq', comparand: '456789' },
    ])
  })

  it('doubles a quote to escape it', () => {
    const [one] = parseClaimsMatchingExpression("claims['sub'] eq 'it''s and ''that'''") ?? []
    assert.equal(one?.comparand, "it's and 'that'")
  })

  for (const [fault, text] of [
    ['no content', ''],
    ['another operator', "claims['sub'] startswith 'repo'"],
    ['an operator in upper case', "claims['sub'] EQ 'repo'"],
    ['the operator or', `${branches} or ${repository}`],
    ['parentheses', `(${branches})`],
    ['the operator not', `not ${branches}`],
    ['no string', "claims['sub'] eq repo"],
    ['an unterminated string', "claims['sub'] eq 'repo"],
    ['a claim without quotes', "claims[sub] eq 'repo'"],
    ['two spaces', "claims['sub']  eq 'repo'"],
    ['a trailing space', `${branches} `],
    ['a trailing and', `${branches} and `],
    ['a duplicate claim', `${branches} and ${branches}`],
    ['more than 600 characters', `claims['sub'] eq '${'a'.repeat(600)}'`],
  ] as const)
    it(`is invalid with ${fault}`, () =>
      assert.equal(parseClaimsMatchingExpression(text), undefined))

  const sub = 'repo:contoso/orders:ref:refs/heads/main'
  for (const [claims, expected] of [
    [{ sub, repository_id: '456789' }, true],
    [{ sub, repository_id: '456780' }, false],
    [{ sub, repository_id: 456789 }, false],
    [{ sub }, false],
    [{ sub: [sub], repository_id: '456789' }, false],
    [{ sub: sub.replace('heads', 'tags'), repository_id: '456789' }, false],
    [{ sub: sub + 'x'.repeat(600), repository_id: '456789' }, false],
  ] as const)
    it(`${expected ? 'matches' : 'does not match'} ${JSON.stringify(claims).slice(0, 90)}`, () => {
      const comparisons = parseClaimsMatchingExpression(`${branches} and ${repository}`) ?? []
      assert.equal(matchesClaims(comparisons, claims), expected)
    })

  it('treats wildcards literally with eq', () => {
    const comparisons = parseClaimsMatchingExpression("claims['sub'] eq 'repo:*'") ?? []
    assert.equal(matchesClaims(comparisons, { sub: 'repo:contoso' }), false)
    assert.equal(matchesClaims(comparisons, { sub: 'repo:*' }), true)
  })

  it('ignores members that every JavaScript object inherits', () => {
    const comparisons = parseClaimsMatchingExpression("claims['constructor'] matches '*'") ?? []
    assert.equal(comparisons.length, 1)
    assert.equal(matchesClaims(comparisons, {}), false)
  })
})
