import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judgeTenantName } from '../../../src/dialect/request/tenant-name.ts'
import { RefusedError } from '../../../src/issuance/refusal.ts'

const outcome = (tenant: string) => {
  try {
    return judgeTenantName(tenant)
  } catch (error) {
    assert.ok(error instanceof RefusedError)
    return error.code
  }
}

const named = ['11111111-2222-4333-8444-555555555555', 'contoso.example', 'a-b.c.d', 'Contoso.COM']
const malformed = [
  '',
  '.',
  'contoso',
  'contoso.',
  '-a.b',
  'a..b',
  'a b.c',
  'ü.example',
  '../x',
  'a.b/c',
]

describe('the name of a tenant', () => {
  for (const tenant of named) it(`may be '${tenant}'`, () => assert.equal(outcome(tenant), tenant))
  for (const tenant of [...malformed, `${'a.'.repeat(130)}b`])
    it(`may not be '${tenant.slice(0, 20)}'`, () =>
      assert.equal(outcome(tenant), 'tenant_malformed'))
  for (const tenant of ['common', 'COMMON', 'organizations'])
    it(`may not be '${tenant}', which is all of them`, () =>
      assert.equal(outcome(tenant), 'tenant_missing'))
  it("may not be 'consumers', who have none", () =>
    assert.equal(outcome('consumers'), 'tenant_is_consumers'))

  it('is judged in a time that does not depend on tricks in it', () => {
    const begun = performance.now()
    outcome(`${'a-'.repeat(100_000)}.`)
    assert.ok(performance.now() - begun < 200)
  })
})
