import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { put } from '@greeting/directory'
import { proofOf } from '../../privileges/certificate-of.ts'
import { added, base64, keyCredential, other, present, rolling, signing } from './rolling-client.ts'

/** The first bytes of a PKCS #12 file. */
const pkcs12 = 'MIIJzwIBAzCCCYUGCSqGSIb3DQEHAaCCCXY='
const first = present.credential.sha256Thumbprint

describe('a signing certificate with a proof', () => {
  const passwords: readonly (readonly [string, object, unknown])[] = [
    [
      'the type of a verification key',
      { ...signing, type: keyCredential.type },
      { secretText: 'canary' },
    ],
    ['an empty password', signing, {}],
    ['a long password', signing, { secretText: 'canary'.repeat(43) }],
    ['a private key', { ...signing, key: pkcs12 }, { secretText: 'canary' }],
    ['an unknown member', signing, { secretText: 'canary', type: 'x' }],
  ]
  for (const [name, entry, passwordCredential] of passwords)
    it(`is refused with ${name}`, async () => {
      const { client, path, proof, thumbprints } = await rolling()
      const body = { keyCredential: entry, passwordCredential, proof: proof() }
      const refused = await client.post(`${path}/addKey`, body)
      assert.equal(refused.status, 400)
      assert.doesNotMatch(JSON.stringify(refused.body), /canary/)
      assert.deepEqual(thumbprints(), [first])
    })

  for (const by of ['application', 'service principal'] as const)
    it(`is stored and shown, but proves nothing: ${by} (entra E242)`, async () => {
      const { application, client, clientWith, clock, commit, log } = await rolling()
      const holder = log.directory.servicePrincipal(client.principalId)
      assert.ok(holder)
      await commit(put('servicePrincipal', { ...holder, keyCredentials: [present.credential] }))
      const isPrincipal = by === 'service principal'
      const id = isPrincipal ? holder.id : application.id
      const path = `/${isPrincipal ? 'servicePrincipals' : 'applications'}/${id}`
      const writer = await clientWith(['Application.ReadWrite.All'])
      const proof = (certified = present) => proofOf(certified, id, clock.now)
      const keyOf = { ...signing, key: base64(other.credential) }
      const passwordCredential = { secretText: 'canary', displayName: null }
      const add = { keyCredential: keyOf, passwordCredential, proof: proof() }
      const wrong = { ...add, proof: proof(other) }
      assert.equal((await writer.post(`${path}/addKey`, wrong)).status, 401)
      const made = await writer.post(`${path}/addKey`, add)
      assert.equal(made.status, 200)
      const shown = { type: 'X509CertAndPassword', usage: 'Sign', key: null }
      assert.partialDeepStrictEqual(made.body, { ...shown, displayName: 'CN=Other' })
      const read = async () => (await writer.get(`${path}?$select=keyCredentials`)).body
      const all = (await read()).keyCredentials as object[]
      assert.equal(all.length, 2)
      assert.partialDeepStrictEqual(all[1], { ...shown, keyId: made.body.keyId })
      const stored = log.directory.application(id) ?? log.directory.servicePrincipal(id)
      assert.doesNotMatch(JSON.stringify([stored, made.body]), /canary/)

      const verifying = { ...keyCredential, key: base64(added) }
      const byIt = { keyCredential: verifying, proof: proof(other) }
      assert.equal((await writer.post(`${path}/addKey`, byIt)).status, 401)
      assert.equal((await writer.patch(path, { keyCredentials: all })).status, 204)
      const same = { keyCredential: { ...verifying, key: keyOf.key }, proof: proof() }
      assert.equal((await writer.post(`${path}/addKey`, same)).status, 200)
      assert.equal((await writer.post(`${path}/addKey`, { ...add, proof: proof() })).status, 400)
      const { keyId } = made.body
      const removed = await writer.post(`${path}/removeKey`, { keyId, proof: proof() })
      assert.equal(removed.status, 204)
      assert.equal(((await read()).keyCredentials as object[]).length, 2)
    })
})
