import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { guid } from '../../../../../../test/fixtures/directory/sample.ts'
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
  it('are stored and shown, and other members stay unchanged', async () => {
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

  const addIn = { id: guid(0xadd), type: 'FileHandler', properties: [{ key: 'a', value: 'b' }] }
  const lock = {
    isEnabled: false,
    allProperties: null,
    credentialsWithUsageVerify: null,
    credentialsWithUsageSign: null,
    tokenEncryptionKeyId: null,
  }
  const behaviors = { blockAzureADGraphAccess: true, removeUnverifiedEmailClaim: null }
  const signed = { isSignedRequestRequired: false, allowedWeakAlgorithms: null }
  const written: readonly (readonly [name: string, value: unknown, shown: unknown])[] = [
    ['servicePrincipalLockConfiguration', { isEnabled: false }, lock],
    ['servicePrincipalLockConfiguration', lock, lock],
    [
      'servicePrincipalLockConfiguration',
      { isEnabled: true, allProperties: true },
      { ...lock, isEnabled: true, allProperties: true },
    ],
    ['requestSignatureVerification', signed, signed],
    [
      'requestSignatureVerification',
      { allowedWeakAlgorithms: 'rsaSha1' },
      { ...signed, allowedWeakAlgorithms: 'rsaSha1' },
    ],
    ['nativeAuthenticationApisEnabled', 'none', 'none'],
    ['nativeAuthenticationApisEnabled', 'all', 'all'],
    ['windows', { redirectUris: [] }, { packageSid: null, redirectUris: [] }],
    [
      'windows',
      { redirectUris: ['ms-app://s-1'] },
      { packageSid: null, redirectUris: ['ms-app://s-1'] },
    ],
    ['authenticationBehaviors', behaviors, { ...behaviors, requireClientServicePrincipal: null }],
    ['addIns', [addIn], [addIn]],
  ]
  for (const [name, value, shown] of written)
    for (const way of ['POST', 'PATCH', 'upsert'])
      it(`have ${name} as ${JSON.stringify(value)}, written by ${way} (entra E316)`, async () => {
        const { admin } = await withApi()
        const unique = "/applications(uniqueName='written')"
        const body = { displayName: 'Written', [name]: value }
        const created = await (way === 'upsert'
          ? admin.patch(unique, body, { prefer: 'create-if-missing' })
          : admin.post('/applications', way === 'POST' ? body : { displayName: 'Written' }))
        assert.equal(created.status, 201)
        const one = `/applications/${created.body.id}`
        if (way === 'PATCH') assert.equal((await admin.patch(one, { [name]: value })).status, 204)
        const read = async () => (await admin.get(`${one}?$select=${name}`)).body[name]
        assert.deepEqual(await read(), shown)
        assert.equal((await admin.patch(one, (await admin.get(one)).body)).status, 204)
        assert.deepEqual(await read(), shown)
        assert.equal((await admin.patch(one, { [name]: null })).status, 204)
        const reset = { addIns: [], windows: { packageSid: null, redirectUris: [] } }
        assert.deepEqual(await read(), Object(reset)[name] ?? null)
      })

  const unwritten: readonly (readonly [name: string, value: unknown])[] = [
    ['servicePrincipalLockConfiguration', { isEnabled: 'yes' }],
    ['servicePrincipalLockConfiguration', { other: true }],
    ['requestSignatureVerification', { allowedWeakAlgorithms: 'none' }],
    ['nativeAuthenticationApisEnabled', 'some'],
    ['windows', { packageSid: 's-1' }],
    ['addIns', [{ type: 'FileHandler', properties: [] }]],
    ['tokenEncryptionKeyId', guid(1)],
    ['certification', { isCertifiedByMicrosoft: true }],
  ]
  for (const [name, value] of unwritten)
    it(`refuse ${name} as ${JSON.stringify(value)}`, async () => {
      const { admin, path } = await withApi()
      assert.equal((await admin.patch(path, { [name]: value })).status, 400)
    })

  it('include add-ins for a service principal, and exclude windows for a blueprint', async () => {
    const { admin, api } = await withApi()
    const { body } = await admin.post('/servicePrincipals', { appId: api.appId, addIns: [addIn] })
    assert.deepEqual(body.addIns, [addIn])
    const blueprint = await admin.post('/applications', {
      '@odata.type': '#microsoft.graph.agentIdentityBlueprint',
      displayName: 'Blueprint',
      'sponsors@odata.bind': [`https://graph.microsoft.com/v1.0/users/${guid(1)}`],
      windows: { redirectUris: ['ms-app://s-1'] },
    })
    assert.equal(blueprint.body.error.code, 'AgentBlueprint_IncompatibleProperty')
  })

  it('can be written back as they were shown', async () => {
    const { admin, path } = await withApi()
    const { body } = await admin.get(path)
    assert.equal((await admin.patch(path, body)).status, 204)
    const after = (await admin.get(path)).body
    assert.deepEqual({ ...after, '@odata.etag': '' }, { ...body, '@odata.etag': '' })
    const other = await admin.patch(path, { ...body, id: guid(1) })
    assert.match(other.body.error.message, /'id' is read-only/)
  })

  it('return to null or empty after a null', async () => {
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
      'a home page with another scheme',
      { web: { homePageUrl: 'javascript:1' } },
      /http:\/\/ or https/,
    ],
    ['too many tags', { tags: Array(101).fill('t') }, /more than 100 entries/],
    ['a long note', { notes: 'n'.repeat(1025) }, /longer than 1024/],
    ['an unknown member', { web: { colour: 'red' } }, /'colour', which is not supported/],
    ['a logo', { info: { logoUrl: 'https://x.example' } }, /logoUrl/],
    [
      'two scopes with the same value',
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
  it('are shown for the application and for its service principal', async () => {
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
