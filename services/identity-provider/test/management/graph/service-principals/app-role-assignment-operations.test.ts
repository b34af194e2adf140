import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Warning } from '../../../../src/management/operations/operation.ts'
import { allGraphRoles, sampleGraph } from '../../sample-graph.ts'

const roles = Array.from({ length: 210 }, (_, index) => ({
  allowedMemberTypes: ['Application'],
  description: 'd',
  displayName: 'r',
  id: `00000000-0000-4000-9000-${String(index).padStart(12, '0')}`,
  isEnabled: true,
  // 72 characters of a token.
  value: `Orders.Read.Everything.In.The.Warehouse.Of.City.${100 + index}`,
}))

describe('the assignment of many roles of an API to one client', () => {
  it('is logged once for each token limit that it exceeds, after it is stored', async () => {
    const warnings: (Warning & { readonly assigned: number })[] = []
    let assigned = 0
    const { clientWith } = await sampleGraph({
      warn: (warning) => warnings.push({ ...warning, assigned }),
    })
    const admin = await clientWith(allGraphRoles)
    const { body: api } = await admin.post('/applications', {
      displayName: 'Orders',
      appRoles: roles,
    })
    const { body: apiPrincipal } = await admin.post('/servicePrincipals', { appId: api.appId })
    const { body: client } = await admin.post('/applications', { displayName: 'Nightly job' })
    const { body: principal } = await admin.post('/servicePrincipals', { appId: client.appId })
    const path = `/servicePrincipals/${apiPrincipal.id}/appRoleAssignedTo`
    for (const { id: appRoleId } of roles) {
      const sent = { principalId: principal.id, resourceId: apiPrincipal.id, appRoleId }
      assert.equal((await admin.post(path, sent)).status, 201)
      assigned += 1
    }
    assert.deepEqual(
      warnings.map(({ fields, message }) => ({ ...fields, message })),
      [
        {
          clientId: client.appId,
          apiId: api.appId,
          roles: 95,
          tokenBytes: 8240,
          message:
            'tokens of this client for this API are too large for some servers: about 8.0 KB: many proxies, such as nginx and Apache, refuse a header field above 8 KB',
        },
        {
          clientId: client.appId,
          apiId: api.appId,
          roles: 201,
          tokenBytes: 15_872,
          message:
            'tokens of this client for this API are too large for some servers: about 15.5 KB: Node and the greeting API refuse header fields above 16 KB in all',
        },
      ],
    )
    const twice = {
      principalId: principal.id,
      resourceId: apiPrincipal.id,
      appRoleId: roles[0]?.id,
    }
    assert.equal((await admin.post(path, twice)).status, 400)
    assert.equal(warnings.length, 2)
  })
})
