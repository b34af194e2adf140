import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { guid, policy, tenant } from '../../../../fixtures/directory/sample.ts'
import { policyOf } from '../../src/model/policy.ts'

const byDefault = policy(1, { isOrganizationDefault: true })
const policies = [policy(9, { kind: 'tokenLifetime' }), byDefault, policy(2), policy(3)]
const contoso = tenant({ policies })

describe('the policy that applies', () => {
  const rows = [
    ['that of the tenant, without an assigned one', [], [], 1],
    ['the one of the application', [2], [], 2],
    ['the one of the service principal first', [2], [3], 3],
    ['not one of another kind', [9], [9], 1],
    ['not one that is gone', [8], [7], 1],
  ] as const
  for (const [name, application, principal, expected] of rows)
    it(`is ${name}`, () => {
      const assigned = (numbers: readonly number[]) => ({ policyIds: numbers.map(guid) })
      const found = policyOf(contoso, 'appManagement', assigned(application), assigned(principal))
      assert.equal(found?.id, guid(expected))
    })

  it('is none in a tenant without policies', () => {
    assert.equal(
      policyOf(tenant(), 'appManagement', { policyIds: [guid(2)] }, undefined),
      undefined,
    )
  })
})
