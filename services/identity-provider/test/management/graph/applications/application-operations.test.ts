import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wholeDirectory } from '../../../../../../test/fixtures/directory/whole-directory.ts'
import { allGraphRoles, fabrikam } from '../../sample-graph.ts'
import { role, withApi } from './sample-api.ts'

describe('an application', () => {
  it('is created with new IDs, and shown as in Graph (AS12)', async () => {
    const { admin, api, path } = await withApi({ appRoles: [role()] })
    assert.notEqual(api.id, api.appId)
    assert.partialDeepStrictEqual(api, {
      '@odata.context': 'https://login.example/v1.0/$metadata#applications/$entity',
      deletedDateTime: null,
      displayName: 'API',
      identifierUris: [],
      isFallbackPublicClient: null,
      keyCredentials: [],
      passwordCredentials: [],
      publisherDomain: 'contoso.example',
      requiredResourceAccess: [],
      signInAudience: 'AzureADMyOrg',
      web: { redirectUris: [] },
    })
    // entra E278
    assert.deepEqual(Object.keys(api).slice(2, 9), [
      'id',
      'deletedDateTime',
      'appId',
      'applicationTemplateId',
      'disabledByMicrosoftStatus',
      'createdDateTime',
      'displayName',
    ])
    const shown = await admin.get(path)
    assert.deepEqual({ ...shown.body, createdDateTime: api.createdDateTime }, api)
  })

  it('can be written back unchanged', async () => {
    const { admin, path } = await withApi({ appRoles: [role()] })
    await admin.post(`${path}/addPassword`, {})
    const { body: api } = await admin.get(path)
    const readOnly = ['id', 'appId', 'createdDateTime', 'deletedDateTime', 'publisherDomain']
    const writable = Object.fromEntries(
      Object.entries(api).filter(([name]) => !readOnly.includes(name)),
    )
    const before = await admin.get(`${path}?$select=displayName,appRoles,api,web,optionalClaims`)
    assert.equal((await admin.patch(path, writable)).status, 204)
    const after = await admin.get(`${path}?$select=displayName,appRoles,api,web,optionalClaims`)
    assert.deepEqual(after.body, before.body)
  })

  it('keeps isFallbackPublicClient, even null, and its creation time (entra E272)', async () => {
    const { admin, path } = await withApi()
    for (const isFallbackPublicClient of [false, null, true, null]) {
      const manifest = { isFallbackPublicClient, createdDateTime: '2020-01-01T00:00:00Z' }
      assert.equal((await admin.patch(path, manifest)).status, 204)
      const { body } = await admin.get(path)
      assert.equal(body.isFallbackPublicClient, isFallbackPublicClient)
      assert.equal(body.createdDateTime, '2026-02-01T12:00:00Z')
    }
  })

  it('keeps properties that a change omits, and replaces whole collections', async () => {
    const { admin, path } = await withApi({ appRoles: [role()], displayName: 'Before' })
    await admin.patch(path, { displayName: 'After', api: { requestedAccessTokenVersion: 2 } })
    const { body } = await admin.get(path)
    assert.partialDeepStrictEqual(body, {
      displayName: 'After',
      api: { requestedAccessTokenVersion: 2, oauth2PermissionScopes: [] },
      appRoles: [role()],
    })
  })

  it('gives its new name to its service principal', async () => {
    const { admin, api, path } = await withApi()
    const { body: principal } = await admin.post('/servicePrincipals', { appId: api.appId })
    await admin.patch(path, { displayName: 'Renamed' })
    const { body } = await admin.get(`/servicePrincipals/${principal.id}`)
    assert.equal(body.displayName, 'Renamed')
  })

  it('is not visible to another tenant', async () => {
    const { api, clientWith, path } = await withApi()
    const outsider = await clientWith(allGraphRoles, fabrikam)
    for (const name of [path, `/applications(appId='${api.appId}')`]) {
      assert.equal((await outsider.get(name)).status, 404)
      assert.equal((await outsider.patch(name, { displayName: 'Mine' })).status, 404)
      assert.equal((await outsider.delete(name)).status, 404)
    }
    const { body } = await outsider.get(`/applications?$filter=appId eq '${api.appId}'`)
    assert.deepEqual(body.value, [])
  })

  it('has roles that must be disabled before they can be changed or removed', async () => {
    const { admin, api, path, store } = await withApi({ appRoles: [role()] })
    const { body: principal } = await admin.post('/servicePrincipals', { appId: api.appId })
    await admin.post(`/servicePrincipals/${principal.id}/appRoleAssignedTo`, {
      principalId: principal.id,
      resourceId: principal.id,
      appRoleId: role().id,
    })
    for (const appRoles of [[], [role({ value: 'Other' })]]) {
      const refused = await admin.patch(path, { appRoles })
      assert.equal(refused.status, 400)
      assert.deepEqual(
        [refused.body.error.code, refused.body.error.message],
        [
          'CannotDeleteOrUpdateEnabledEntitlement',
          'Permission (scope or role) cannot be deleted or updated unless disabled first.',
        ],
      )
    }
    assert.equal((await admin.patch(path, { appRoles: [role({ isEnabled: false })] })).status, 204)
    assert.equal((await wholeDirectory(store)).assignmentsTo(principal.id).length, 1)
    assert.equal((await admin.patch(path, { appRoles: [] })).status, 204)
    assert.deepEqual(
      (await wholeDirectory(store)).assignmentsTo(principal.id),
      [],
      'no client has a removed role',
    )
  })
})
