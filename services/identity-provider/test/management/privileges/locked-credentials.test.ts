import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withApi } from '../graph/applications/sample-api.ts'
import { fabrikam, type GraphClient, type Reply } from '../sample-graph.ts'
import { certificateOf } from './certificate-of.ts'

const certificate = await certificateOf('Locked')
const key = Buffer.from(certificate.certificate).toString('base64')
const keyCredentials = [{ type: 'AsymmetricX509Cert', usage: 'Verify', key }]

async function withPrincipal() {
  const sample = await withApi()
  const { admin, api, path } = sample
  const { body: principal } = await admin.post('/servicePrincipals', { appId: api.appId })
  const { body: secret } = await admin.post(`/servicePrincipals/${principal.id}/addPassword`, {})
  const lock = (servicePrincipalLockConfiguration: object | null) =>
    admin.patch(path, { servicePrincipalLockConfiguration })
  return { ...sample, principal, secret, lock, of: `/servicePrincipals/${principal.id}` }
}

type Sample = Awaited<ReturnType<typeof withPrincipal>>

describe('the credentials of a service principal whose application locks them (entra E315)', () => {
  const changes: readonly (readonly [
    string,
    target: string,
    (sample: Sample) => Promise<Reply>,
  ])[] = [
    ['a new secret', 'passwordCredentials', ({ admin, of }) => admin.post(`${of}/addPassword`, {})],
    [
      'the removal of a secret',
      'passwordCredentials',
      ({ admin, of, secret }) => admin.post(`${of}/removePassword`, { keyId: secret.keyId }),
    ],
    ['a new certificate', 'keyCredentials', ({ admin, of }) => admin.patch(of, { keyCredentials })],
    [
      'a new certificate by an upsert',
      'keyCredentials',
      ({ admin, api }) =>
        admin.patch(
          `/servicePrincipals(appId='${api.appId}')`,
          { keyCredentials },
          { prefer: 'create-if-missing' },
        ),
    ],
  ]
  for (const [what, target, change] of changes)
    it(`cannot be changed by ${what} until they are unlocked`, async () => {
      const sample = await withPrincipal()
      const { lock, log, principal, reports } = sample
      assert.equal((await lock({ isEnabled: true, allProperties: true })).status, 204)
      const { revision } = log.directory
      const { status, body } = await change(sample)
      assert.equal(status, 400)
      assert.partialDeepStrictEqual(body.error, {
        code: 'CannotUpdateLockedServicePrincipalProperty',
        message: `Property ${target} is invalid.`,
        details: [{ code: 'GenericError', message: `Property ${target} is invalid.`, target }],
      })
      assert.equal(log.directory.revision, revision)
      assert.equal(log.directory.servicePrincipal(principal.id)?.passwordCredentials.length, 1)
      assert.equal((await lock({ isEnabled: false })).status, 204)
      assert.ok((await change(sample)).status < 300)
      assert.deepEqual(reports, [])
    })

  const locks: readonly (readonly [object | null, boolean])[] = [
    [null, false],
    [{ isEnabled: false, allProperties: true }, false],
    [{ isEnabled: true }, false],
    [{ isEnabled: true, credentialsWithUsageSign: true, tokenEncryptionKeyId: true }, false],
    [{ isEnabled: true, credentialsWithUsageVerify: true }, true],
    [{ isEnabled: true, allProperties: true }, true],
  ]
  for (const [lock, isLocked] of locks)
    it(`${isLocked ? 'prevent' : 'permit'} a change with ${JSON.stringify(lock)}`, async () => {
      const sample = await withPrincipal()
      await sample.lock(lock)
      const { status } = await sample.admin.post(`${sample.of}/addPassword`, {})
      assert.equal(status, isLocked ? 400 : 200)
    })

  it("are locked in each tenant, while the application's own credentials are not", async () => {
    const sample = await withPrincipal()
    const { admin, api, clientWith, lock, path } = sample
    await admin.patch(path, { signInAudience: 'AzureADMultipleOrgs' })
    await lock({ isEnabled: true, allProperties: true })
    const other: GraphClient = await clientWith(['Application.ReadWrite.All'], fabrikam)
    const created = await other.post('/servicePrincipals', { appId: api.appId })
    assert.equal(created.status, 201)
    const added = await other.post(`/servicePrincipals/${created.body.id}/addPassword`, {})
    assert.equal(added.body.error.code, 'CannotUpdateLockedServicePrincipalProperty')
    await other.delete(`/servicePrincipals/${created.body.id}`)
    const body = { appId: api.appId, keyCredentials }
    assert.equal((await other.post('/servicePrincipals', body)).status, 400)
    assert.equal((await admin.post(`${path}/addPassword`, {})).status, 200)
    assert.equal((await admin.patch(sample.of, { notes: 'Free' })).status, 204)
    assert.equal((await admin.delete(sample.of)).status, 204)
  })
})
