import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wholeDirectory } from '../../../../../../test/fixtures/directory/whole-directory.ts'
import { allGraphRoles, contoso, fabrikam } from '../../sample-graph.ts'
import { role, withApi } from './sample-api.ts'

/** The scope that equals the sample role, with other members. */
const scopes = (part: object = {}) => {
  const { description: adminConsentDescription, displayName: adminConsentDisplayName } = role()
  const { id, isEnabled, value } = role()
  const texts = { adminConsentDescription, adminConsentDisplayName }
  return { api: { oauth2PermissionScopes: [{ id, isEnabled, value, ...texts, ...part }] } }
}

describe('the body of a change to an application', () => {
  const appId = '{appId}'
  const rows: readonly (readonly [string, object | string, RegExp, code?: string])[] = [
    ['a property that Graph does not have', { colour: 'red' }, /'colour', which is not supported/],
    ['a property that cannot be set (AS12)', { appId }, /'appId' is read-only/],
    [
      'a redirect URI',
      { web: { redirectUris: ['no URI'] } },
      /'web.redirectUris\[0\]': it must be an absolute URI/,
    ],
    [
      'a token encryption key',
      { tokenEncryptionKeyId: contoso.id },
      /'tokenEncryptionKeyId' can only have its default value/,
    ],
    ['a scope for users', { api: { oauth2PermissionScopes: [{}] } }, /'api/],
    ['an unknown token version', { api: { requestedAccessTokenVersion: 3 } }, /must be 1 or 2/],
    [
      'a secret that the caller chooses',
      { passwordCredentials: [{ keyId: contoso.id }] },
      /addPassword/,
    ],
    ['an empty name', { displayName: ' ' }, /'displayName': it must not be empty/],
    ['a name of another type', { displayName: 7 }, /must be of the type string/],
    ['a name with a control character', { displayName: 'a\u0000b' }, /control characters/],
    ['half of a surrogate pair', '{"displayName":"\\ud800"}', /surrogate/],
    [
      'a sign-in audience of personal accounts',
      { signInAudience: 'PersonalMicrosoftAccount' },
      /"AzureADMyOrg" or/,
    ],
    [
      'a role without a GUID',
      { appRoles: [role({ id: 'x' })] },
      /'appRoles\[0\].id': it must be a GUID/,
    ],
    ['a value with a space', { appRoles: [role({ value: 'a b' })] }, /must not contain spaces/],
    ['a value with a leading dot', { appRoles: [role({ value: '.a' })] }, /dot/],
    ['a long value', { appRoles: [role({ value: 'a'.repeat(250) })] }, /249/],
    ['a long value of a scope', scopes({ value: 'a'.repeat(250) }), /249/],
    ['a value of a scope with a space', scopes({ value: 'a b' }), /value of an app role/],
    ['a value of a scope with a leading dot', scopes({ value: '.a' }), /value of an app role/],
    ['a value of a scope with a quote', scopes({ value: 'a"b' }), /value of an app role/],
    [
      'a role with the value of a scope (entra E346)',
      { appRoles: [role()], ...scopes({ id: contoso.id }) },
      /'appRoles\[0\]\.value': it contains duplicate value/,
    ],
    ...[{ value: 'Other' }, { adminConsentDescription: 'Other' }, { isEnabled: false }].map(
      (part) =>
        [
          `a role with the id of a scope that has ${JSON.stringify(part)} (entra E346)`,
          { appRoles: [role()], ...scopes(part) },
          /^The following values must match for the 'oauth2Permissions' and 'appRoles' properties with identifier '0e6f2b1d-93c4-4d8a-a1f7-6c5e8b2d4f10': \(description, .* updating them together\.$/,
        ] as const,
    ),
    ['the same value twice', { appRoles: [role(), role({ id: contoso.id })] }, /used twice/],
    ['the same ID twice', { appRoles: [role(), role({ value: 'Other' })] }, /used twice/],
    ['another origin', { appRoles: [role({ origin: 'User' })] }, /"Application"/],
    ['another language', { appRoles: [role({ lang: 'en' })] }, /lang/],
    [
      'a URI on a domain of another tenant',
      { identifierUris: ['https://elsewhere.example/api'] },
      /https:\/\/elsewhere\.example\/api/,
      'InvalidUniqueTenantIdentifierAsPerAppPolicy',
    ],
    ['a URI with a trailing slash', { identifierUris: ['https://contoso.example/api/'] }, /slash/],
    [
      'the same resource twice',
      {
        requiredResourceAccess: [1, 2].map(() => ({
          resourceAppId: contoso.id,
          resourceAccess: [],
        })),
      },
      /only once/,
    ],
    [
      '51 resources',
      {
        requiredResourceAccess: Array.from({ length: 51 }, () => ({
          resourceAppId: crypto.randomUUID(),
          resourceAccess: [],
        })),
      },
      /50 resources/,
    ],
    [
      '401 permissions',
      {
        requiredResourceAccess: [
          {
            resourceAppId: contoso.id,
            resourceAccess: Array.from({ length: 401 }, () => ({ id: contoso.id, type: 'Role' })),
          },
        ],
      },
      /400 permissions/,
    ],
    [
      '1201 entries',
      {
        identifierUris: Array.from(
          { length: 1201 },
          (_, index) => `https://contoso.example/${index}`,
        ),
      },
      /1200 entries/,
    ],
    [
      'a claim for users',
      { optionalClaims: { idToken: [{ name: 'x', essential: 'yes' }] } },
      /optionalClaims/,
    ],
    ['a policy of another type', { passwordAuthenticationAllowed: null }, /boolean/],
    ['an array as its body', [], /object/],
    ['invalid JSON', '{"displayName":', /Unable to read JSON/, 'BadRequest'],
    ['no content', '', /Empty Payload/, 'BadRequest'],
  ]
  for (const [name, body, message, code = 'Request_BadRequest'] of rows) {
    it(`is refused when it has ${name}`, async () => {
      const { admin, path, store } = await withApi()
      const { revision } = await wholeDirectory(store)
      const reply = await admin.patch(path, body)
      assert.equal(reply.status, 400, JSON.stringify(reply.body))
      assert.equal(reply.body.error.code, code)
      assert.match(reply.body.error.message, message)
      assert.equal((await wholeDirectory(store)).revision, revision, 'nothing was written')
    })
  }

  it('causes one error that lists all its issues', async () => {
    const { admin, path } = await withApi()
    const { body } = await admin.patch(path, { displayName: '', appRoles: [role({ id: 'x' })] })
    assert.match(body.error.message, /displayName.*appRoles\[0\]\.id/)
    assert.partialDeepStrictEqual(body.error, {
      details: [
        { code: 'InvalidValue', target: 'displayName' },
        { code: 'InvalidValue', target: 'appRoles[0].id' },
      ],
    })
  })

  it('causes an error with at most 20 issues', async () => {
    const { admin, path } = await withApi()
    const appRoles = Array.from({ length: 25 }, (_, index) => role({ id: `${index}`, value: null }))
    const { body } = await admin.patch(path, { appRoles })
    assert.match(body.error.message, /Issues that are not listed here: 5\.$/)
    assert.equal(Object(body.error).details.length, 20)
  })

  it('is refused when its content type is not JSON (entra E374)', async () => {
    const { admin, path } = await withApi()
    for (const type of [
      'text/plain',
      'application/jsonp',
      'application/x-www-form-urlencoded',
      '',
    ]) {
      const reply = await admin.patch(path, '{}', { 'content-type': type })
      assert.deepEqual(
        [reply.status, reply.body.error.code, reply.body.error.message],
        [
          400,
          'BadRequest',
          type === ''
            ? 'Write requests (excluding DELETE) must contain the Content-Type header declaration.'
            : 'Entity only allows writes with a JSON Content-Type header.',
        ],
        type,
      )
    }
    for (const type of [
      'application/json;odata.metadata=minimal',
      'Application/JSON; charset=utf-8',
    ])
      assert.equal((await admin.patch(path, '{}', { 'content-type': type })).status, 204, type)
  })

  const texts: readonly (readonly [sent: object, shown: object])[] = [
    [{ isFallbackPublicClient: 'true' }, { isFallbackPublicClient: true }],
    [{ isFallbackPublicClient: 'False' }, { isFallbackPublicClient: false }],
    [
      { api: { requestedAccessTokenVersion: '2' }, web: { implicitGrantSettings: null } },
      { api: { requestedAccessTokenVersion: 2 } },
    ],
    [
      { appRoles: [{ ...role({ value: 'A.B' }), isEnabled: 'FALSE' }] },
      { appRoles: [{ value: 'A.B', isEnabled: false }] },
    ],
  ]
  for (const [sent, shown] of texts)
    it(`can have strings for booleans and numbers: ${JSON.stringify(Object.values(sent)[0])} (entra E377)`, async () => {
      const { admin, path } = await withApi()
      assert.equal((await admin.patch(path, sent)).status, 204)
      assert.partialDeepStrictEqual((await admin.get(path)).body, shown)
    })

  for (const sent of [
    { isFallbackPublicClient: 'yes' },
    { isFallbackPublicClient: '' },
    { displayName: 7 },
    { api: { requestedAccessTokenVersion: '3' } },
  ])
    it(`is refused with another string or type: ${JSON.stringify(sent)}`, async () => {
      const { admin, path } = await withApi()
      assert.equal((await admin.patch(path, sent)).status, 400)
    })

  it('can have a content type with 100 or 3,000 empty parameters (AS38)', async () => {
    const { admin, path } = await withApi()
    for (const parameters of [100, 3000]) {
      const headers = { 'content-type': `application/json${';  '.repeat(parameters)}` }
      assert.equal((await admin.patch(path, '{"displayName":7}', headers)).status, 400)
    }
  })

  it('is refused above 1 MiB', async () => {
    const { admin, path } = await withApi()
    const { status, body } = await admin.patch(path, JSON.stringify({ notes: 'a'.repeat(1 << 20) }))
    assert.equal(status, 413)
    assert.equal(body.error.code, 'Request_BadRequest')
  })

  it('is refused with the identifier URI of another application, even a deleted one', async () => {
    const identifierUris = ['https://contoso.example/api']
    const { admin, path } = await withApi({ identifierUris })
    const refused = async () => {
      const { status, body } = await admin.post('/applications', {
        displayName: 'B',
        identifierUris,
      })
      assert.equal(status, 409)
      assert.match(body.error.message, /same value for property identifierUris already exists/)
    }
    await refused()
    await admin.delete(path)
    await refused()
    await admin.delete(path.replace('applications', 'directory/deletedItems'))
    assert.equal(
      (await admin.post('/applications', { displayName: 'B', identifierUris })).status,
      201,
    )
  })

  it("is refused with another application's identifier URI in another case", async () => {
    const { admin, path, clientWith } = await withApi({
      identifierUris: [`api://${contoso.id}/Orders`],
    })
    for (const uri of [`api://${contoso.id}/orders`, `API://${contoso.id}/ORDERS`]) {
      const body = { displayName: 'B', identifierUris: [uri] }
      assert.equal((await admin.post('/applications', body)).status, 409, uri)
    }
    // Another tenant may have the same identifier URI.
    const outsider = await clientWith(allGraphRoles, fabrikam)
    const theirs = { displayName: 'B', identifierUris: [`api://${fabrikam.id}/orders`] }
    assert.equal((await outsider.post('/applications', theirs)).status, 201)
    assert.equal((await admin.patch(path, { displayName: 'C' })).status, 204)
  })

  it('can have a role and a scope with the same permission, and longer values than documented', async () => {
    const { admin, path } = await withApi({ appRoles: [role()], ...scopes() })
    assert.equal((await admin.patch(path, { displayName: 'Other' })).status, 204)
    const long = { id: contoso.id, value: 'a'.repeat(249) }
    assert.equal((await admin.patch(path, { appRoles: [role(), role(long)] })).status, 204)
    assert.equal((await admin.patch(path, scopes({ value: 'Other' }))).status, 400)
  })

  it('can have an empty role value, which Terraform sends for a role without a value', async () => {
    const { admin, path } = await withApi({ appRoles: [role({ value: '' })] })
    const { body } = await admin.get(path)
    assert.partialDeepStrictEqual(body.appRoles, [{ value: null }])
  })
})
