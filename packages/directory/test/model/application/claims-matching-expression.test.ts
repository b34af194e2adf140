import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  matchesClaims,
  parseClaimsMatchingExpression,
} from '../../../src/model/application/claims-matching-expression.ts'

const branches = "claims['sub'] matches 'repo:contoso/orders:ref:refs/heads/*'"
const repository = "claims['repository_id'] eq '456789'"

describe('a claims matching expression', () => {
  it('is a list of comparisons', () => {
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
    ['nothing', ''],
    ['another operator', "claims['sub'] startswith 'repo'"],
    ['an operator in capitals', "claims['sub'] EQ 'repo'"],
    ['or', `${branches} or ${repository}`],
    ['brackets', `(${branches})`],
    ['not', `not ${branches}`],
    ['no text', "claims['sub'] eq repo"],
    ['an open text', "claims['sub'] eq 'repo"],
    ['a claim without quotes', "claims[sub] eq 'repo'"],
    ['two spaces', "claims['sub']  eq 'repo'"],
    ['a space at the end', `${branches} `],
    ['a final and', `${branches} and `],
    ['a claim twice', `${branches} and ${branches}`],
    ['more than 600 characters', `claims['sub'] eq '${'a'.repeat(600)}'`],
  ] as const)
    it(`with ${fault} is invalid`, () =>
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

  it('compares wildcards literally with eq', () => {
    const comparisons = parseClaimsMatchingExpression("claims['sub'] eq 'repo:*'") ?? []
    assert.equal(matchesClaims(comparisons, { sub: 'repo:contoso' }), false)
    assert.equal(matchesClaims(comparisons, { sub: 'repo:*' }), true)
  })

  it('compares no members that every JavaScript object has', () => {
    const comparisons = parseClaimsMatchingExpression("claims['constructor'] matches '*'") ?? []
    assert.equal(comparisons.length, 1)
    assert.equal(matchesClaims(comparisons, {}), false)
  })
})
