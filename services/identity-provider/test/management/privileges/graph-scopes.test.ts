import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { graphAppId } from '@greeting/directory'
import { allGraphRoles, contoso, fabrikam, sampleGraph } from '../sample-graph.ts'

const graph = `/servicePrincipals(appId='${graphAppId}')`

describe('the delegated permissions of Microsoft Graph (entra E317)', () => {
  for (const tenant of [contoso, fabrikam])
    it(`are found by value in ${tenant.displayName}, with the same IDs as in every tenant`, async () => {
      const client = await (await sampleGraph()).clientWith(['Application.Read.All'], tenant)
      const { body } = await client.get(`${graph}?$select=oauth2PermissionScopes`)
      const scopes = body.oauth2PermissionScopes as { value: string; id: string; type: string }[]
      const idOf = (value: string) => scopes.find((one) => one.value === value)?.id
      assert.equal(idOf('User.Read'), 'e1fe6dd8-ba31-4d61-89e7-88639da4683d')
      assert.equal(idOf('profile'), '14dad69e-099b-42c9-810b-d002981feec1')
      for (const value of ['openid', 'email', 'offline_access']) assert.ok(idOf(value))
      assert.equal(new Set(scopes.map(({ id }) => id)).size, scopes.length)
      assert.deepEqual(Object.keys(scopes[0] ?? {}), [
        'adminConsentDescription',
        'adminConsentDisplayName',
        'id',
        'isEnabled',
        'type',
        'userConsentDescription',
        'userConsentDisplayName',
        'value',
      ])
    })

  it('can be requested and granted, but result in no role', async () => {
    const { clientWith, log } = await sampleGraph()
    const admin = await clientWith(allGraphRoles)
    const { body: api } = await admin.get(graph)
    const { body: application } = await admin.post('/applications', {
      displayName: 'Client',
      requiredResourceAccess: [
        {
          resourceAppId: graphAppId,
          resourceAccess: [{ id: '14dad69e-099b-42c9-810b-d002981feec1', type: 'Scope' }],
        },
      ],
    })
    const { body: client } = await admin.post('/servicePrincipals', { appId: application.appId })
    const granted = await admin.post('/oauth2PermissionGrants', {
      clientId: client.id,
      consentType: 'AllPrincipals',
      resourceId: api.id,
      scope: 'profile User.Read',
    })
    assert.equal(granted.status, 201)
    assert.deepEqual(log.directory.assignmentsOf(client.id), [])
    const assigned = await admin.post(`/servicePrincipals/${client.id}/appRoleAssignments`, {
      principalId: client.id,
      resourceId: api.id,
      appRoleId: 'e1fe6dd8-ba31-4d61-89e7-88639da4683d',
    })
    assert.equal(assigned.status, 400)
    assert.match(assigned.body.error.message, /was not found on application/)
  })

  it('cannot be changed', async () => {
    const admin = await (await sampleGraph()).clientWith(allGraphRoles)
    const before = (await admin.get(graph)).body.oauth2PermissionScopes
    for (const oauth2PermissionScopes of [[], [{ value: 'Orders.Read' }]])
      assert.equal((await admin.patch(graph, { oauth2PermissionScopes })).status, 400)
    await admin.patch(graph, { oauth2PermissionScopes: null })
    assert.deepEqual((await admin.get(graph)).body.oauth2PermissionScopes, before)
  })
})
