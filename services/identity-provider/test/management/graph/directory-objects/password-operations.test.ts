import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { credentialName, secretSha256 } from '@greeting/directory'
import { wholeDirectory } from '../../../../../../test/fixtures/directory/whole-directory.ts'
import { rsaKeyPair } from '../../../../../../test/fixtures/rsa-key-pair.ts'
import { KeyEncryptionKey } from '../../../../src/signing/key-encryption-key.ts'
import { fixtureSigningKey } from '../../../signing/fixture-signing-key.ts'
import { allGraphRoles, fabrikam } from '../../sample-graph.ts'
import { withApi } from '../applications/sample-api.ts'

const certificate = async (at = '2026-01-15T00:00:00Z') =>
  (await fixtureSigningKey(KeyEncryptionKey.generate(), new Date(at))).certificate

describe('a client secret', () => {
  it('consists of 256 random bits, is shown once, and is stored as a hash', async () => {
    const { admin, path, store, api, lastUses } = await withApi()
    const made = await admin.post(`${path}/addPassword`, {
      passwordCredential: { displayName: 'Nightly job' },
    })
    assert.equal(made.status, 200)
    assert.equal(made.headers.get('cache-control'), 'no-store')
    const { secretText, keyId } = made.body
    assert.equal(Buffer.from(secretText, 'base64url').length, 32)
    assert.partialDeepStrictEqual(made.body, {
      customKeyIdentifier: null,
      displayName: 'Nightly job',
      hint: secretText.slice(0, 3),
    })
    const [kept] = (await wholeDirectory(store)).application(api.id)?.passwordCredentials ?? []
    assert.deepEqual(kept?.secretSha256, secretSha256(secretText))

    lastUses.set(credentialName(api, keyId), new Date('2026-02-02T00:00:00Z'))
    for (const shown of [await admin.get(path), await admin.get('/applications')]) {
      assert.ok(!JSON.stringify(shown.body).includes(secretText))
      assert.ok(JSON.stringify(shown.body).includes('"lastUsedDateTime":"2026-02-02T00:00:00Z"'))
    }
  })

  it('is shown in the property order of Microsoft Graph (entra E318)', async () => {
    const { admin, api, path } = await withApi()
    const { body: principal } = await admin.post('/servicePrincipals', { appId: api.appId })
    for (const holder of [path, `/servicePrincipals/${principal.id}`]) {
      const { body } = await admin.post(`${holder}/addPassword`, {})
      assert.deepEqual(Object.keys(body), [
        '@odata.context',
        'customKeyIdentifier',
        'endDateTime',
        'keyId',
        'startDateTime',
        'secretText',
        'hint',
        'displayName',
        'lastUsedDateTime',
      ])
    }
  })

  it('is valid beside other secrets until it is removed by ID', async () => {
    const { admin, path, store, api } = await withApi()
    const first = await admin.post(`${path}/addPassword`, {})
    const second = await admin.post(`${path}/addPassword`, { passwordCredential: null })
    const keyIds = async () =>
      (await wholeDirectory(store))
        .application(api.id)
        ?.passwordCredentials.map(({ keyId }) => keyId)
    assert.deepEqual(await keyIds(), [first.body.keyId, second.body.keyId])
    const remove = () => admin.post(`${path}/removePassword`, { keyId: first.body.keyId })
    assert.equal((await remove()).status, 204)
    assert.deepEqual(await keyIds(), [second.body.keyId])
    const again = await remove()
    assert.equal(again.status, 400)
    assert.equal(again.body.error.message, 'No password credential found with keyId.')
  })

  it('has the keyId that its owner chose, which must be unique (entra E236)', async () => {
    const { admin, path } = await withApi()
    const keyId = '3A29F8E2-5B0C-4F2A-9D3E-7C1B6A5D4E3F'
    const passwordCredential = { keyId, startDateTime: '2026-02-01T20:05:26.1557753+08:00' }
    const add = () => admin.post(`${path}/microsoft.graph.addPassword`, { passwordCredential })
    const made = await add()
    assert.equal(made.status, 200)
    assert.equal(made.body.keyId, keyId.toLowerCase())
    assert.equal(made.body.startDateTime, '2026-02-01T12:05:26.1557753Z')
    const again = await add()
    assert.equal(again.status, 400)
    assert.match(again.body.error.message, /has the keyId/)
  })

  const end = '2027-01-01T00:00:00Z'
  const refused: readonly (readonly [string, object, RegExp])[] = [
    ['that ends before it starts', { endDateTime: '2020-01-01T00:00:00Z' }, /end after its start/],
    ['with an invalid time', { endDateTime: 'tomorrow' }, /'passwordCredential.endDateTime'/],
    ['without a time zone', { endDateTime: '2027-01-01T00:00:00' }, /date and time as in/],
    ['above the year 9999', { endDateTime: '9999-12-31T23:59:59-01:00' }, /years 1 to 9999/],
    ['before the year 1', { startDateTime: '0001-01-01T00:00:00+01:00' }, /years 1 to 9999/],
    ['of the year 0', { startDateTime: '0000-06-01T00:00:00Z' }, /years 1 to 9999/],
    ['with an impossible offset', { endDateTime: '2027-01-01T00:00:00+24:00' }, /as in/],
    ['whose default end has no form', { startDateTime: '9998-01-01T00:00:00Z' }, /end after its/],
    ['that ends as it starts', { startDateTime: end, endDateTime: end }, /end after its start/],
    ['that is chosen by its owner', { secretText: 'mine' }, /'secretText', which is not supported/],
  ]
  for (const [name, passwordCredential, message] of refused)
    it(`${name} is refused`, async () => {
      const { admin, path } = await withApi()
      const { status, body } = await admin.post(`${path}/addPassword`, { passwordCredential })
      assert.equal(status, 400)
      assert.match(body.error.message, message)
    })
})

describe('a certificate', () => {
  it('is added in base64, and found by its thumbprint', async () => {
    const { admin, path, store, api } = await withApi()
    const key = await certificate()
    const entry = { type: 'AsymmetricX509Cert', usage: 'Verify', key, displayName: 'CN=job' }
    assert.equal((await admin.patch(path, { keyCredentials: [entry] })).status, 204)
    const [kept] = (await wholeDirectory(store)).application(api.id)?.keyCredentials ?? []
    assert.equal(Buffer.from(kept?.certificate ?? []).toString('base64'), key)

    const { body } = await admin.get(path)
    assert.partialDeepStrictEqual(body, {
      keyCredentials: [
        {
          customKeyIdentifier: Buffer.from(kept?.sha1Thumbprint ?? '', 'base64url')
            .toString('hex')
            .toUpperCase(),
          displayName: 'CN=job',
          key: null,
          keyId: kept?.keyId,
          type: 'AsymmetricX509Cert',
          usage: 'Verify',
        },
      ],
    })
    const selected = await admin.get(`${path}?$select=keyCredentials`)
    assert.partialDeepStrictEqual(selected.body, { keyCredentials: [{ key }] })
  })

  it('stays if the new collection contains its keyId, and is removed otherwise', async () => {
    const { admin, path, store, api } = await withApi()
    const [first, second] = [await certificate(), await certificate()]
    await admin.patch(path, { keyCredentials: [{ key: first }] })
    const { body } = await admin.get(path)
    const keyIds = async () =>
      (await wholeDirectory(store)).application(api.id)?.keyCredentials.map(({ keyId }) => keyId)
    const [keyId] = (await keyIds()) ?? []
    // Unchanged, and by its keyId only, beside a new one.
    await admin.patch(path, { keyCredentials: body.keyCredentials })
    assert.deepEqual(await keyIds(), [keyId])
    await admin.patch(path, { keyCredentials: [{ keyId }, { key: second }] })
    assert.equal((await keyIds())?.[0], keyId)
    assert.equal((await keyIds())?.length, 2)
    await admin.patch(path, { keyCredentials: [] })
    assert.deepEqual(await keyIds(), [])
  })

  const { privateKey } = rsaKeyPair()
  const pem = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
  const refused: readonly (readonly [string, (key: string) => object[], RegExp])[] = [
    ['neither a certificate nor a known keyId', () => [{}], /must contain a certificate in key/],
    ['invalid base64', () => [{ key: '*' }], /base64/],
    ['a private key', () => [{ key: pem }], /must be an X\.509 certificate/],
    ['a duplicate in the same body', (key) => [{ key }, { key }], /a certificate or keyId twice/],
    ['the type of a secret', (key) => [{ key, type: 'Symmetric' }], /AsymmetricX509Cert/],
    ['a key to sign with', (key) => [{ key, usage: 'Sign' }], /X509CertAndPassword/],
    [
      'a longer lifetime than its own',
      (key) => [{ key, endDateTime: '2099-01-01T00:00:00Z' }],
      /longer than its/,
    ],
    [
      'an end before its start',
      (key) => [
        { key, startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-02-01T00:00:00Z' },
      ],
      /end after its start/,
    ],
  ]
  for (const [name, entries, message] of refused)
    it(`with ${name} is refused`, async () => {
      const { admin, path } = await withApi()
      const keyCredentials = entries(await certificate())
      const { status, body } = await admin.patch(path, { keyCredentials })
      assert.equal(status, 400)
      assert.match(body.error.message, message)
      assert.ok(!body.error.message.includes(pem.slice(0, 40)))
    })

  it("does not reveal the last use of another application's credential with the same keyId", async () => {
    const { admin, path, api, lastUses, clientWith } = await withApi()
    const { body } = await admin.post(`${path}/addPassword`, {})
    lastUses.set(credentialName(api, body.keyId), new Date('2026-02-02T00:00:00Z'))
    const outsider = await clientWith(allGraphRoles, fabrikam)
    const own = await outsider.post('/applications', { displayName: 'Outsider' })
    const ownPath = `/applications/${own.body.id}`
    const keyCredentials = [{ keyId: body.keyId, key: await certificate() }]
    assert.equal((await outsider.patch(ownPath, { keyCredentials })).status, 204)
    for (const shown of [await outsider.get(ownPath), await outsider.get('/applications')]) {
      assert.ok(JSON.stringify(shown.body).includes(body.keyId))
      assert.ok(!JSON.stringify(shown.body).includes('2026-02-02'))
    }
  })

  it('cannot be replaced under the same keyId', async () => {
    const { admin, path } = await withApi()
    await admin.patch(path, { keyCredentials: [{ key: await certificate() }] })
    const { body } = await admin.get(path)
    const [{ keyId }] = body.keyCredentials as [{ keyId: string }]
    const changed = await admin.patch(path, {
      keyCredentials: [{ keyId, key: await certificate() }],
    })
    assert.equal(changed.status, 400)
    assert.match(changed.body.error.message, /must not change the certificate/)
  })

  it('does not share its keyId with a new secret', async () => {
    const { admin, path } = await withApi()
    await admin.patch(path, { keyCredentials: [{ key: await certificate() }] })
    const { body } = await admin.get(path)
    const [{ keyId }] = body.keyCredentials as [{ keyId: string }]
    const added = await admin.post(`${path}/addPassword`, { passwordCredential: { keyId } })
    assert.equal(added.status, 400)
    assert.match(added.body.error.message, /has the keyId/)
  })
})
