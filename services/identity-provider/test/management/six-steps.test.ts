import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { secretSha256 } from '@greeting/directory'
import { wholeDirectory } from '../../../../test/fixtures/directory/whole-directory.ts'
import { allGraphRoles, sampleGraph } from './sample-graph.ts'

const role = (part: object) => ({
  allowedMemberTypes: ['Application'],
  description: 'May call hi.',
  displayName: 'Call hi',
  id: '0e6f2b1d-93c4-4d8a-a1f7-6c5e8b2d4f10',
  isEnabled: true,
  lang: null,
  origin: 'Application',
  value: 'CallHiApiRole',
  ...part,
})

describe('the six registration steps', () => {
  it('turn an empty tenant into one with a client that has a role and a secret', async () => {
    const { clientWith, store } = await sampleGraph()
    const admin = await clientWith(allGraphRoles)

    // 1. The API. Its identifier URI contains its application ID, so it needs a second request.
    const api = await admin.post('/applications', { displayName: 'Greeting API' })
    assert.equal(api.status, 201)
    const identifierUris = [`api://${api.body.appId}`]
    assert.equal(
      (await admin.patch(`/applications/${api.body.id}`, { identifierUris })).status,
      204,
    )
    // 2. Its app roles.
    const appRoles = [
      role({}),
      role({ id: 'b7d41c9a-2e58-4f03-8c6d-1a9f7e3b5c24', value: 'CallHelloApiRole' }),
    ]
    assert.equal((await admin.patch(`/applications/${api.body.id}`, { appRoles })).status, 204)
    const apiPrincipal = await admin.post('/servicePrincipals', { appId: api.body.appId })
    assert.equal(apiPrincipal.status, 201)
    // 3. The client. 4. The permissions that it requests.
    const client = await admin.post('/applications', {
      displayName: 'Greeting client',
      requiredResourceAccess: [
        {
          resourceAppId: api.body.appId,
          resourceAccess: appRoles.map(({ id }) => ({ id, type: 'Role' })),
        },
      ],
    })
    assert.equal(client.status, 201)
    const principal = await admin.post('/servicePrincipals', { appId: client.body.appId })
    // 5. Admin consent.
    for (const { id: appRoleId } of appRoles) {
      const consent = await admin.post(
        `/servicePrincipals/${apiPrincipal.body.id}/appRoleAssignedTo`,
        { principalId: principal.body.id, resourceId: apiPrincipal.body.id, appRoleId },
      )
      assert.equal(consent.status, 201)
    }
    // 6. A secret.
    const secret = await admin.post(`/applications/${client.body.id}/addPassword`, {
      passwordCredential: { displayName: 'First secret' },
    })
    assert.equal(secret.status, 200)

    const directory = await wholeDirectory(store)
    assert.deepEqual(
      new Set(directory.assignmentsOf(principal.body.id).map(({ appRoleId }) => appRoleId)),
      new Set(appRoles.map(({ id }) => id)),
    )
    assert.deepEqual(
      directory
        .application(client.body.id)
        ?.passwordCredentials.map(({ secretSha256 }) => secretSha256),
      [secretSha256(secret.body.secretText)],
    )
    const shown = await admin.get(`/applications(appId='${api.body.appId}')`)
    assert.deepEqual(shown.body.appRoles, appRoles, 'as the manifest has them, in its order')
  })
})
