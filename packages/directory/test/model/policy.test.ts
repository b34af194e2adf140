import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { guid, policy, tenant } from '../../../../test/fixtures/directory/sample.ts'
import { accessTokenSeconds, policyOf } from '../../src/model/policy.ts'

const byDefault = policy(1, { isOrganizationDefault: true })
const policies = [policy(9, { kind: 'tokenLifetime' }), byDefault, policy(2), policy(3)]
const contoso = tenant({ policies })

describe('the applicable policy', () => {
  const rows = [
    ["the tenant's default if none is assigned", [], [], 1],
    ["the application's policy", [2], [], 2],
    ["the service principal's policy first", [2], [3], 3],
    ['not a policy of another kind', [9], [9], 1],
    ['not a missing policy', [8], [7], 1],
  ] as const
  for (const [name, application, principal, expected] of rows)
    it(`is ${name}`, () => {
      const assigned = (numbers: readonly number[]) => ({ policyIds: numbers.map(guid) })
      const found = policyOf(contoso, 'appManagement', assigned(application), assigned(principal))
      assert.equal(found?.id, guid(expected))
    })

  it('does not exist in a tenant without policies', () => {
    assert.equal(
      policyOf(tenant(), 'appManagement', { policyIds: [guid(2)] }, undefined),
      undefined,
    )
  })

  it("is the tenant's default for token lifetimes, in preference to the application's policy", () => {
    const kind = 'tokenLifetime'
    const ofTenant = policy(4, { kind, isOrganizationDefault: true })
    const both = tenant({ policies: [ofTenant, policy(5, { kind })] })
    const assigned = { policyIds: [guid(5)] }
    assert.equal(policyOf(both, kind, assigned, undefined)?.id, guid(4))
    assert.equal(policyOf(both, kind, undefined, assigned)?.id, guid(5))
  })
})

describe('a token lifetime policy', () => {
  const rules = (text: unknown, more = {}) => [
    JSON.stringify({ TokenLifetimePolicy: { Version: 1, AccessTokenLifetime: text, ...more } }),
  ]
  const rows = [
    ['ten minutes', rules('00:10:00'), 600],
    ['single-digit hours', rules('8:00:00'), 28_800],
    ['hours and minutes', rules('02:30'), 9000],
    ['one second less than a day', rules('23:59:59'), 86_399],
    ['one day', rules('1.00:00:00'), 86_400],
    ['no lifetime', rules(undefined, { MaxInactiveTime: '30.00:00:00' }), null],
    ['24 hours, which is not a valid duration', rules('24:00:00'), undefined],
    ['less than ten minutes', rules('00:09:59'), undefined],
    ['more than one day', rules('1.00:00:01'), undefined],
    ['a number', rules(3600), undefined],
    ['another version', rules('01:00:00', { Version: 2 }), undefined],
    ['another kind', ['{"ClaimsMappingPolicy":{"Version":1}}'], undefined],
    ['a second member', ['{"TokenLifetimePolicy":{"Version":1},"Other":{}}'], undefined],
    ['a second definition', [...rules('01:00:00'), ...rules('01:00:00')], undefined],
    ['a definition that is not JSON', ['{'], undefined],
    ['no rules in the policy', ['{"TokenLifetimePolicy":null}'], undefined],
    ['a definition that is not a list', '01:00:00', undefined],
  ] as const
  for (const [name, definition, seconds] of rows)
    it(`results in ${seconds} seconds for ${name}`, () => {
      assert.equal(accessTokenSeconds(definition), seconds)
    })
})
