import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { guid } from '../../../../../../test/fixtures/directory/sample.ts'
import { fabrikam } from '../../sample-graph.ts'
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
  it('is stored, shown, changed and removed', async () => {
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

  it('is refused if it exists, or if its objects or its user are missing', async () => {
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
    const counted = await admin.get('/oauth2PermissionGrants?$count=true')
    assert.match(counted.body.error.message, /'\$count' is not supported/)
    assert.equal((await admin.get('/oauth2PermissionGrants/x')).status, 404)
  })

  it('is listed once with the grants of all clients of the tenant, on pages of any size (entra E274)', async () => {
    const { admin, api, clientWith, grant, request, resource } = await withGrant()
    const ids = [grant.id]
    const client = await clientWith([])
    for (const clientId of [client.principalId, resource.id, admin.principalId])
      for (const principalId of [guid(0x201), guid(0x202), guid(0x203)]) {
        const body = { ...request, clientId, consentType: 'Principal', principalId }
        ids.push((await admin.post('/oauth2PermissionGrants', body)).body.id)
      }
    const foreign = await clientWith(['Application.Read.All'], fabrikam)
    assert.deepEqual((await foreign.get('/oauth2PermissionGrants')).body.value, [])
    const allOf = async (first: string) => {
      const found: string[] = []
      for (let path = first; path !== ''; ) {
        const { body } = await admin.get(path.replace(/^.*\/v1\.0/, ''))
        found.push(...body.value.map(({ id }) => id))
        path = body['@odata.nextLink'] ?? ''
      }
      return found.sort()
    }
    for (const top of [1, 2, 3, 4, 999])
      assert.deepEqual(await allOf(`/oauth2PermissionGrants?$top=${top}`), ids.sort(), `${top}`)
    const ofOne = `/oauth2PermissionGrants?$top=2&$filter=principalId eq '${guid(0x202)}'`
    assert.equal((await allOf(ofOne)).length, 3)
    await admin.delete(`/servicePrincipals(appId='${api.appId}')`)
    assert.equal((await allOf('/oauth2PermissionGrants')).length, ids.length - 3)
  })
})
