import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stableRoleId } from '../src/stable-role-id.ts'

const tenant = '8d6f5e30-0c3b-4f0e-9d35-7c6a4e4f1f11'
const otherTenant = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'

describe('the stable ID of an app role', () => {
  it('never changes, because directories store it', () => {
    assert.equal(
      stableRoleId(tenant, 'Greeting API', 'CallHiApiRole'),
      'c727bed3-e63f-5aa3-ad75-f488b26a11e9',
    )
  })

  it('does not depend on the case of the tenant ID', () => {
    assert.equal(
      stableRoleId(otherTenant.toUpperCase(), 'a', 'b'),
      stableRoleId(otherTenant, 'a', 'b'),
    )
  })

  it('exists even for a tenant ID without a known UUID version', () => {
    assert.match(stableRoleId('00000000-0000-0000-0000-000000000001', 'a', 'b'), /^[0-9a-f-]{36}$/)
  })

  it('differs between tenants, APIs and roles', () => {
    const ids = [
      stableRoleId(tenant, 'Greeting API', 'CallHiApiRole'),
      stableRoleId(tenant, 'Greeting API', 'CallHelloApiRole'),
      stableRoleId(tenant, 'Other API', 'CallHiApiRole'),
      stableRoleId(otherTenant, 'Greeting API', 'CallHiApiRole'),
    ]
    assert.equal(new Set(ids).size, ids.length)
  })
})
