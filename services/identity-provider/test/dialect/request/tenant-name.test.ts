import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { processorMs } from '../../../../../test/fixtures/processor-time.ts'
import { tenantNameRefusal } from '../../../src/dialect/request/tenant-name.ts'

const reasonOf = (tenant: string) => tenantNameRefusal(tenant)?.refusal.reason

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
  for (const tenant of named)
    it(`may be '${tenant}'`, () => assert.equal(reasonOf(tenant), undefined))
  for (const tenant of [...malformed, `${'a.'.repeat(130)}b`])
    it(`may not be '${tenant.slice(0, 20)}'`, () =>
      assert.equal(reasonOf(tenant), 'tenant_malformed'))
  for (const tenant of ['common', 'COMMON', 'organizations'])
    it(`may not be '${tenant}', which names all tenants`, () =>
      assert.equal(reasonOf(tenant), 'tenant_missing'))
  it("may not be 'consumers', which names no tenant", () =>
    assert.equal(reasonOf('consumers'), 'tenant_is_consumers'))

  it('is validated in linear time', () => {
    const ms = processorMs(() => reasonOf(`${'a-'.repeat(100_000)}.`))
    assert.ok(ms < 200, `${ms} ms`)
  })
})
