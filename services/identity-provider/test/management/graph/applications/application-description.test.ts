import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { guid } from '../../../../../../fixtures/directory/sample.ts'
import { withApi } from './sample-api.ts'

const scope = {
  adminConsentDescription: 'Reads orders.',
  adminConsentDisplayName: 'Read orders',
  id: guid(0x5c),
  isEnabled: true,
  type: 'Admin',
  userConsentDescription: null,
  userConsentDisplayName: null,
  value: 'Orders.Read',
}

describe('the descriptive properties of an application', () => {
  it('are kept and shown, and other members stay', async () => {
    const { admin, path } = await withApi()
    const words = {
      description: 'Orders',
      isDeviceOnlyAuthSupported: true,
      notes: 'Owned by the shop',
      serviceManagementReference: 'REF-1',
      tags: ['HideApp'],
    }
    const web = { homePageUrl: 'https://shop.example', redirectUris: ['http://localhost/x'] }
    assert.equal((await admin.patch(path, { ...words, web })).status, 204)
    await admin.patch(path, { web: { logoutUrl: 'https://shop.example/bye' }, notes: null })
    const { body } = await admin.get(path)
    assert.partialDeepStrictEqual(body, {
      ...words,
      notes: null,
      web: {
        ...web,
        logoutUrl: 'https://shop.example/bye',
        redirectUriSettings: [{ uri: 'http://localhost/x', index: null }],
        implicitGrantSettings: { enableAccessTokenIssuance: false },
      },
    })
    await admin.patch(path, { web: null })
    assert.deepEqual((await admin.get(`${path}?$select=web`)).body.web, {
      homePageUrl: null,
      implicitGrantSettings: { enableAccessTokenIssuance: false, enableIdTokenIssuance: false },
      logoutUrl: null,
      redirectUris: [],
      redirectUriSettings: [],
    })
  })

  it('are accepted as they are shown', async () => {
    const { admin, path } = await withApi()
    const { body } = await admin.get(path)
    assert.equal((await admin.patch(path, body)).status, 204)
    const after = (await admin.get(path)).body
    assert.deepEqual({ ...after, '@odata.etag': '' }, { ...body, '@odata.etag': '' })
    const other = await admin.patch(path, { ...body, id: guid(1) })
    assert.match(other.body.error.message, /'id' is read-only/)
  })

  it('are null or empty again after a null', async () => {
    const { admin, path } = await withApi()
    const before = (await admin.get(path)).body
    const changed = {
      tags: ['a'],
      info: { supportUrl: 'https://x.example' },
      groupMembershipClaims: 'All',
    }
    await admin.patch(path, changed)
    await admin.patch(path, { tags: null, info: null, groupMembershipClaims: null })
    const after = (await admin.get(path)).body
    assert.deepEqual({ ...after, '@odata.etag': '' }, { ...before, '@odata.etag': '' })
  })

  const refused: readonly (readonly [string, object, RegExp])[] = [
    [
      'a home page of another scheme',
      { web: { homePageUrl: 'javascript:1' } },
      /http:\/\/ or https/,
    ],
    ['too many tags', { tags: Array(101).fill('t') }, /more than 100 entries/],
    ['a long note', { notes: 'n'.repeat(1025) }, /longer than 1024/],
    ['an unknown member', { web: { colour: 'red' } }, /'colour', which is not supported/],
    ['a logo', { info: { logoUrl: 'https://x.example' } }, /logoUrl/],
    [
      'two scopes with one value',
      { api: { oauth2PermissionScopes: [scope, { ...scope, id: guid(1) }] } },
      /two scopes with one value/,
    ],
    [
      'owners in a change',
      { 'owners@odata.bind': [`https://x/directoryObjects/${guid(1)}`] },
      /owners\/\$ref/,
    ],
    ['a unique name in a change', { uniqueName: 'orders' }, /'uniqueName' is read-only/],
  ]
  for (const [name, body, message] of refused) {
    it(`are refused with ${name}`, async () => {
      const { admin, path } = await withApi()
      const { status, body: answer } = await admin.patch(path, body)
      assert.equal(status, 400)
      assert.match(answer.error.message, message)
    })
  }
})

describe('the scopes of an application', () => {
  it('are shown there and at its service principal', async () => {
    const { admin, api, path } = await withApi()
    await admin.patch(path, { api: { oauth2PermissionScopes: [scope] } })
    const { body } = await admin.get(`${path}?$select=api`)
    assert.partialDeepStrictEqual(body.api, {
      oauth2PermissionScopes: [scope],
      requestedAccessTokenVersion: null,
    })
    const { body: principal } = await admin.post('/servicePrincipals', { appId: api.appId })
    assert.deepEqual(principal.oauth2PermissionScopes, [scope])
  })

  it('must be disabled before they are changed or removed', async () => {
    const { admin, path } = await withApi()
    await admin.patch(path, { api: { oauth2PermissionScopes: [scope] } })
    for (const scopes of [[], [{ ...scope, value: 'Other' }]]) {
      const { body } = await admin.patch(path, { api: { oauth2PermissionScopes: scopes } })
      assert.equal(body.error.code, 'CannotDeleteOrUpdateEnabledEntitlement')
    }
    const disabled = { ...scope, isEnabled: false }
    for (const scopes of [[disabled], []]) {
      const { status } = await admin.patch(path, { api: { oauth2PermissionScopes: scopes } })
      assert.equal(status, 204)
    }
  })
})
