import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stableGuid, stableRoleId } from '../../../src/registrations/file/stable-guid.ts'

const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
const tenant = '8d6f5e30-0c3b-4f0e-9d35-7c6a4e4f1f11'

describe('a stable GUID', () => {
  it('is the UUID of version 5 that RFC 9562 prints in its appendix A.4', () => {
    assert.equal(stableGuid(dns, 'www.example.com'), '2ed6657d-e927-568b-95e1-2665a8aea6a2')
  })

  it('is the same whatever the case of the namespace', () => {
    assert.equal(stableGuid(dns.toUpperCase(), 'a'), stableGuid(dns, 'a'))
  })

  it('never changes for a role, because directories keep it', () => {
    assert.equal(
      stableRoleId(tenant, 'Greeting API', 'CallHiApiRole'),
      'c727bed3-e63f-5aa3-ad75-f488b26a11e9',
    )
  })

  it('differs by tenant, by API and by role', () => {
    const ids = [
      stableRoleId(tenant, 'Greeting API', 'CallHiApiRole'),
      stableRoleId(tenant, 'Greeting API', 'CallHelloApiRole'),
      stableRoleId(tenant, 'Other API', 'CallHiApiRole'),
      stableRoleId(dns, 'Greeting API', 'CallHiApiRole'),
    ]
    assert.equal(new Set(ids).size, ids.length)
  })
})
