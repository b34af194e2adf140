import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { guid } from '../../../../../../fixtures/directory/sample.ts'
import { withApi } from '../applications/sample-api.ts'

async function withGrant() {
  const sample = await withApi()
  const { admin, api } = sample
  const { body: resource } = await admin.post('/servicePrincipals', { appId: api.appId })
  const request = {
    clientId: admin.principalId,
    consentType: 'AllPrincipals',
    principalId: null,
    resourceId: resource.id,
    scope: 'Orders.Read',
  }
  const { body: grant } = await admin.post('/oauth2PermissionGrants', request)
  return { ...sample, grant, request, resource }
}

describe('a delegated permission grant', () => {
  it('is kept, shown, changed and removed', async () => {
    const { admin, grant, request } = await withGrant()
    assert.partialDeepStrictEqual(grant, request)
    const lists = [
      `/oauth2PermissionGrants?$filter=clientId eq '${admin.principalId}' and consentType eq 'AllPrincipals'`,
      `/servicePrincipals/${admin.principalId}/oauth2PermissionGrants`,
    ]
    for (const list of lists) {
      assert.partialDeepStrictEqual((await admin.get(list)).body.value, [{ id: grant.id }])
    }
    const path = `/oAuth2PermissionGrants/${grant.id}`
    assert.equal((await admin.patch(path, { scope: 'Orders.Read Orders.Write' })).status, 204)
    assert.equal((await admin.get(path)).body.scope, 'Orders.Read Orders.Write')
    assert.equal((await admin.delete(path)).status, 204)
    assert.equal((await admin.get(path)).status, 404)
  })

  it('is refused twice, without its objects, and without the user that it names', async () => {
    const { admin, request } = await withGrant()
    const rows = [
      [request, 409, /already exists/],
      [{ ...request, resourceId: guid(9) }, 400, /Not a valid reference update/],
      [{ ...request, clientId: guid(9) }, 400, /Not a valid reference update/],
      [{ ...request, consentType: 'Principal' }, 400, /principalId/],
      [{ ...request, scope: 'x'.repeat(4097) }, 400, /longer than 4096/],
    ] as const
    for (const [body, status, message] of rows) {
      const reply = await admin.post('/oauth2PermissionGrants', body)
      assert.equal(reply.status, status)
      assert.match(reply.body.error.message, message)
    }
    const list = await admin.get('/oauth2PermissionGrants')
    assert.match(list.body.error.message, /\$filter must contain clientId/)
    assert.equal((await admin.get('/oauth2PermissionGrants/x')).status, 404)
  })
})
