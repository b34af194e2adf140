import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { guid } from '../../../../../../test/fixtures/directory/sample.ts'
import {
  type Issued,
  issuedCertificate,
} from '../../../../../../test/fixtures/issued-certificate.ts'
import { rsaKeyPair } from '../../../../../../test/fixtures/rsa-key-pair.ts'
import { withApi } from '../applications/sample-api.ts'

const lists = '/directory/certificateAuthorities/certificateBasedApplicationConfigurations'
const root = await issuedCertificate('Root')
const intermediate = await issuedCertificate('Intermediate', root)
const job = await issuedCertificate('Job', root, false)
const weak = await issuedCertificate('Weak', undefined, true, rsaKeyPair(1024))
const entry = ({ base64: certificate }: Issued, isRootAuthority = false) => ({
  isRootAuthority,
  certificate,
})
const ours = {
  displayName: 'Ours',
  trustedCertificateAuthorities: [entry(root, true), entry(intermediate)],
}

async function withList(body: object = ours) {
  const sample = await withApi()
  const { body: list, status } = await sample.admin.post(lists, body)
  assert.equal(status, 201)
  const one = `${lists}/${list.id}`
  return { ...sample, list, one, authorities: `${one}/trustedCertificateAuthorities` }
}

describe('a list of trusted authorities in Microsoft Graph', () => {
  it('is created, shown with its authorities, changed and deleted', async () => {
    const { admin, list, one } = await withList()
    const shown = { id: list.id, deletedDateTime: null, description: null, displayName: 'Ours' }
    assert.partialDeepStrictEqual((await admin.get(lists)).body.value, [shown])
    const { body } = await admin.get(`${one}?$expand=trustedCertificateAuthorities`)
    assert.partialDeepStrictEqual(body, { ...shown, ...ours })
    assert.equal((await admin.patch(one, { description: 'The chain' })).status, 204)
    assert.equal((await admin.get(one)).body.description, 'The chain')
    assert.equal((await admin.delete(one)).status, 204)
    assert.equal((await admin.get(one)).status, 404)
  })

  it('accepts, changes and removes authorities, but keeps a root', async () => {
    const { admin, authorities } = await withList()
    const issuing = await issuedCertificate('Issuing', intermediate)
    const named = { issuer: 'Intermediate', issuerSubjectKeyIdentifier: 'BA:AF' }
    const { body: added, status } = await admin.post(authorities, { ...entry(issuing), ...named })
    assert.deepEqual([status, added.issuer], [201, 'Intermediate'])
    const one = `${authorities}/${added.id}`
    assert.equal((await admin.patch(one, { issuer: 'Other' })).status, 204)
    const { body } = await admin.get(one)
    assert.partialDeepStrictEqual(body, { ...entry(issuing), ...named, issuer: 'Other' })
    const all = (await admin.get(authorities)).body.value
    assert.equal(all.length, 3)
    assert.equal((await admin.delete(one)).status, 204)
    const rootId = all.find((each) => each.isRootAuthority)?.id
    const gone = [`${authorities}/${added.id}`, `${authorities}/${guid(9)}`]
    for (const path of gone) assert.equal((await admin.get(path)).status, 404)
    const refused = [
      await admin.delete(`${authorities}/${rootId}`),
      await admin.patch(`${authorities}/${rootId}`, { isRootAuthority: false }),
    ]
    for (const { status, body } of refused) {
      assert.equal(status, 400)
      assert.match(body.error.message, /must have at least one root authority/)
    }
  })

  it('is refused if the tenant has ten', async () => {
    const { admin } = await withList()
    for (let number = 1; number < 10; number += 1)
      assert.equal((await admin.post(lists, ours)).status, 201)
    assert.match((await admin.post(lists, ours)).body.error.message, /10 lists of authorities/)
  })

  const none = { isRootAuthority: true }
  const rows: readonly (readonly [string, object, RegExp])[] = [
    ['without authorities', {}, /at least one root/],
    ['without a root', { trustedCertificateAuthorities: [entry(root)] }, /at least one root/],
    [
      'with eleven authorities',
      { trustedCertificateAuthorities: Array(11).fill(entry(root, true)) },
      /10/,
    ],
    ['without a certificate', { trustedCertificateAuthorities: [none] }, /certificate/],
    [
      'with an invalid certificate',
      { trustedCertificateAuthorities: [{ ...none, certificate: 'QUFB' }] },
      /must be the certificate of an authority/,
    ],
    [
      'with a long name',
      { trustedCertificateAuthorities: [{ ...none, certificate: 'A'.repeat(8193) }] },
      /longer than 8192/,
    ],
    [
      'with a certificate that may not issue others',
      { trustedCertificateAuthorities: [entry(job, true)] },
      /must be the certificate of an authority/,
    ],
    [
      'with a weak key',
      { trustedCertificateAuthorities: [entry(weak, true)] },
      /must be the certificate of an authority/,
    ],
    ['with an unknown member', { ...ours, other: 1 }, /other/],
  ]
  for (const [what, body, message] of rows)
    it(`is refused ${what}`, async () => {
      const { admin } = await withApi()
      const answer = await admin.post(lists, body)
      assert.equal(answer.status, 400)
      assert.match(answer.body.error.message, message)
    })
})

describe('an app management policy with trusted authorities', () => {
  it('refuses every certificate from another issuer, for both kinds of object (entra E232)', async () => {
    const { admin, list, path } = await withList()
    const { appId } = (await admin.get(path)).body
    const { body: principal } = await admin.post('/servicePrincipals', { appId })
    const restrictions = {
      keyCredentials: [
        {
          restrictionType: 'trustedCertificateAuthority',
          certificateBasedApplicationConfigurationIds: [String(list.id).toUpperCase()],
        },
      ],
    }
    const policy = {
      isEnabled: true,
      applicationRestrictions: restrictions,
      servicePrincipalRestrictions: restrictions,
    }
    const byDefault = '/policies/defaultAppManagementPolicy'
    assert.equal((await admin.patch(byDefault, policy)).status, 204)
    const keyOf = async (issuer?: Issued) => {
      const { base64 } = await issuedCertificate('Job', issuer, false)
      return { type: 'AsymmetricX509Cert', usage: 'Verify', key: base64 }
    }
    const [trusted, selfSigned, ofRoot] = [
      await keyOf(intermediate),
      await keyOf(),
      await keyOf(root),
    ]
    const otherRoot = await issuedCertificate('Other')
    // The policy does not name this list.
    await admin.post(lists, { trustedCertificateAuthorities: [entry(otherRoot, true)] })
    const ofOther = await keyOf(otherRoot)
    for (const object of [path, `/servicePrincipals/${principal.id}`]) {
      const toSignWith = { ...trusted, type: 'X509CertAndPassword', usage: 'Sign' }
      for (const key of [selfSigned, ofRoot, ofOther, toSignWith]) {
        const { body, status } = await admin.patch(object, { keyCredentials: [key] })
        assert.equal(status, 400)
        assert.deepEqual(
          [body.error.code, body.error.message],
          [
            'CredentialTypeNotAllowedAsPerAppPolicy',
            "Credential not issued by a trusted certificate authority as per assigned policy '00000000-0000-0000-0000-000000000000'.",
          ],
        )
      }
      assert.equal((await admin.patch(object, { keyCredentials: [trusted] })).status, 204)
    }
    const added = { displayName: 'New', keyCredentials: [selfSigned] }
    assert.equal((await admin.post('/applications', added)).status, 400)
    // A list that is gone permits nothing, and what exists stays.
    await admin.delete(`${lists}/${list.id}`)
    assert.equal((await admin.patch(path, { displayName: 'Other' })).status, 204)
    const { keyCredentials } = (await admin.get(path)).body as unknown as {
      keyCredentials: object[]
    }
    const next = [...keyCredentials, await keyOf(intermediate)]
    assert.equal((await admin.patch(path, { keyCredentials: next })).status, 400)
  })
})
