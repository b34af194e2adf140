import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { emptyGuid } from '@greeting/directory'
import { KeyEncryptionKey } from '../../../../src/signing/key-encryption-key.ts'
import { fixtureSigningKey } from '../../../signing/fixture-signing-key.ts'
import { certifiedKeyOf, proofOf } from '../../privileges/certificate-of.ts'
import { withApi } from '../applications/sample-api.ts'

type Shown = { readonly identifierUris: object }
const byDefault = '/policies/defaultAppManagementPolicy'
const policies = '/policies/appManagementPolicies'
const lifetime = { restrictionType: 'passwordLifetime', maxLifetime: 'P90D' }
const passwords = (...passwordCredentials: object[]) => ({ passwordCredentials })
const noSecrets = passwords({ restrictionType: 'passwordAddition' })
const restrictions = passwords(lifetime)
const strict = { isEnabled: true, applicationRestrictions: restrictions }
const sample = { displayName: 'Strict', isEnabled: true, restrictions }

async function withPolicy(body: object = sample) {
  const api = await withApi()
  const { body: policy } = await api.admin.post(policies, body)
  const reference = { '@odata.id': `https://graph.microsoft.com/beta${policies}/${policy.id}` }
  return { ...api, policy, one: `${policies}/${policy.id}`, reference }
}

describe('the default app management policy', () => {
  it('exists, and restricts new identifier URIs (entra E148, E220)', async () => {
    const { body } = await (await withApi()).admin.get(byDefault)
    assert.partialDeepStrictEqual(body, {
      '@odata.context':
        'https://login.example/v1.0/$metadata#policies/defaultAppManagementPolicy/$entity',
      id: emptyGuid,
      displayName: 'Default app management tenant policy',
      isEnabled: true,
      applicationRestrictions: {
        passwordCredentials: [],
        keyCredentials: [],
        identifierUris: {
          nonDefaultUriAddition: { state: 'disabled', isStateSetByMicrosoft: false },
          uriAdditionWithoutUniqueTenantIdentifier: {
            state: 'enabled',
            restrictForAppsCreatedAfterDateTime: null,
            excludeAppsReceivingV2Tokens: true,
            excludeSaml: true,
            isStateSetByMicrosoft: true,
          },
        },
      },
      servicePrincipalRestrictions: { passwordCredentials: [], keyCredentials: [] },
    })
  })

  it('accepts its own output, and keeps the restriction of identifier URIs beside others (entra E379)', async () => {
    const { admin, path } = await withApi()
    const { body } = await admin.get(byDefault)
    assert.equal((await admin.patch(byDefault, body)).status, 204)
    const { applicationRestrictions } = body
    assert.equal((await admin.patch(byDefault, strict)).status, 204)
    const uri = { identifierUris: ['api://orders'] }
    assert.equal((await admin.patch(path, uri)).status, 400)
    assert.equal((await admin.patch(byDefault, { applicationRestrictions })).status, 204)
    assert.equal((await admin.patch(path, uri)).status, 400)
    const { identifierUris } = (await admin.get(byDefault)).body.applicationRestrictions as Shown
    assert.partialDeepStrictEqual(identifierUris, {
      uriAdditionWithoutUniqueTenantIdentifier: { state: 'enabled', isStateSetByMicrosoft: false },
    })
  })

  it('keeps the members that a change does not name', async () => {
    const { admin } = await withApi()
    assert.equal((await admin.patch(byDefault, strict)).status, 204)
    const keys = [{ restrictionType: 'asymmetricKeyLifetime', maxLifetime: 'P1D' }]
    const servicePrincipalRestrictions = { keyCredentials: keys }
    await admin.patch(byDefault, { servicePrincipalRestrictions })
    await admin.patch(byDefault, { applicationRestrictions: { keyCredentials: [] } })
    const { body } = await admin.get(byDefault)
    assert.partialDeepStrictEqual(body, { ...strict, servicePrincipalRestrictions })
  })

  it('is not in the list of assignable policies', async () => {
    const { admin } = await withApi()
    await admin.patch(byDefault, strict)
    assert.deepEqual((await admin.get(policies)).body.value, [])
    assert.equal((await admin.get(`${policies}/${emptyGuid}`)).status, 404)
    assert.equal((await admin.delete(`${policies}/${emptyGuid}`)).status, 404)
  })
})

describe('an app management policy', () => {
  it('is created, shown, changed and deleted', async () => {
    const { admin, one, policy } = await withPolicy()
    assert.equal((await admin.post(policies, sample)).status, 201)
    assert.equal((await admin.patch(one, { description: 'Ours' })).status, 204)
    const shown = { id: policy.id, ...sample, description: 'Ours' }
    assert.partialDeepStrictEqual((await admin.get(one)).body, shown)
    assert.equal((await admin.patch(one, (await admin.get(one)).body)).status, 204)
    assert.equal((await admin.patch(one, { id: emptyGuid })).status, 400)
    assert.equal((await admin.get(policies)).body.value.length, 2)
    assert.equal((await admin.delete(one)).status, 204)
    assert.equal((await admin.get(one)).status, 404)
  })

  const refused = [
    {},
    { displayName: 'X' },
    { restrictions },
    { ...sample, displayName: '' },
    { ...sample, other: 1 },
    { ...sample, restrictions: null },
    { ...sample, restrictions: passwords({ restrictionType: 'other' }) },
    { ...sample, restrictions: passwords({ ...lifetime, maxLifetime: 'ninety days' }) },
    { ...sample, restrictions: passwords(lifetime, lifetime) },
  ]
  for (const body of refused)
    it(`is refused with the body ${JSON.stringify(body)}`, async () => {
      const { body: answer, status } = await (await withApi()).admin.post(policies, body)
      assert.deepEqual([status, answer.error.code], [400, 'Request_BadRequest'])
    })

  it('is refused if the tenant has 100', async () => {
    const { admin } = await withApi()
    for (let number = 0; number < 100; number += 1)
      assert.equal((await admin.post(policies, sample)).status, 201)
    assert.equal((await admin.post(policies, sample)).status, 400)
  })

  it('is assigned once, listed from both sides, and removed', async () => {
    const { admin, one, path, policy, reference } = await withPolicy()
    const { body: principal } = await admin.post('/servicePrincipals', {
      appId: (await admin.get(path)).body.appId,
    })
    for (const object of [path, `/servicePrincipals/${principal.id}`]) {
      const assigned = `${object}/appManagementPolicies`
      assert.equal((await admin.post(`${assigned}/$ref`, reference)).status, 204)
      assert.equal((await admin.post(`${assigned}/$ref`, reference)).status, 400)
      assert.deepEqual(
        (await admin.get(assigned)).body.value.map(({ id }) => id),
        [policy.id],
      )
    }
    const objects = (await admin.get(`${one}/appliesTo`)).body.value.map(({ id }) => id)
    assert.deepEqual(objects.toSorted(), [path.split('/').at(-1), principal.id].toSorted())
    const assignment = `${path}/appManagementPolicies/${policy.id}/$ref`
    assert.equal((await admin.delete(assignment)).status, 204)
    assert.equal((await admin.delete(assignment)).status, 404)
    assert.equal((await admin.get(`${one}/appliesTo`)).body.value.length, 1)
  })

  it('frees its object for another policy when it is deleted', async () => {
    const { admin, one, path, reference } = await withPolicy()
    await admin.post(`${path}/appManagementPolicies/$ref`, reference)
    await admin.delete(one)
    assert.deepEqual((await admin.get(`${path}/appManagementPolicies`)).body.value, [])
    const { body: other } = await admin.post(policies, sample)
    const next = { '@odata.id': `${policies}/${other.id}` }
    assert.equal((await admin.post(`${path}/appManagementPolicies/$ref`, next)).status, 204)
  })

  it('is not assigned through the URL of another object', async () => {
    const { admin, path, policy } = await withPolicy()
    for (const address of [`/applications/${policy.id}`, policies, 'x']) {
      const body = { '@odata.id': address }
      const { status } = await admin.post(`${path}/appManagementPolicies/$ref`, body)
      assert.equal(status, 400)
    }
  })
})

const keyOf = async () => {
  const { certificate } = await fixtureSigningKey(
    KeyEncryptionKey.generate(),
    new Date('2026-01-15T00:00:00Z'),
  )
  return certificate.replaceAll(/-----[A-Z ]+-----|\s/g, '')
}

describe('app management policies refuse', () => {
  it('a secret with a longer lifetime, in the same words as Entra ID (entra E221, E227)', async () => {
    const { admin, path } = await withApi()
    await admin.patch(byDefault, strict)
    const { body, status } = await admin.post(`${path}/addPassword`, {})
    const message = `Credential lifetime exceeds the max value allowed as per assigned policy '${emptyGuid}'.`
    assert.equal(status, 400)
    assert.partialDeepStrictEqual(body.error, {
      code: 'CredentialInvalidLifetimeAsPerAppPolicy',
      message,
      details: [{ code: 'InvalidKeyEndDate', target: 'EndDate', message }],
    })
    const passwordCredential = { endDateTime: '2026-05-01T00:00:00Z' }
    assert.equal((await admin.post(`${path}/addPassword`, { passwordCredential })).status, 200)
  })

  it('whatever an assigned policy forbids, instead of the default policy (entra E222, E223)', async () => {
    const { admin, path, policy, reference } = await withPolicy({
      ...sample,
      restrictions: noSecrets,
    })
    await admin.post(`${path}/appManagementPolicies/$ref`, reference)
    const { body } = await admin.post(`${path}/addPassword`, {})
    assert.deepEqual(
      [body.error.code, body.error.message],
      [
        'CredentialTypeNotAllowedAsPerAppPolicy',
        `Credential type not allowed as per assigned policy '${policy.id}'.`,
      ],
    )
    await admin.patch(byDefault, strict)
    await admin.patch(`${policies}/${policy.id}`, { isEnabled: false })
    assert.equal((await admin.post(`${path}/addPassword`, {})).status, 200)
  })

  it('neither existing credentials nor unrelated changes (entra E224)', async () => {
    const { admin, path } = await withApi()
    await admin.post(`${path}/addPassword`, {})
    await admin.patch(byDefault, { isEnabled: true, applicationRestrictions: noSecrets })
    assert.equal((await admin.patch(path, { displayName: 'Other' })).status, 204)
    assert.partialDeepStrictEqual((await admin.get(path)).body, { passwordCredentials: [{}] })
  })

  const onUris = { identifierUris: { nonDefaultUriAddition: {} } }
  const onAudience = { audiences: { azureAdMultipleOrgs: {} } }
  const onKeys = {
    keyCredentials: [{ restrictionType: 'asymmetricKeyLifetime', maxLifetime: 'P1D' }],
  }
  const uri = { identifierUris: ['https://contoso.example/x'] }
  const rows: readonly (readonly [string, object, object, string])[] = [
    ['a secret of a new application', noSecrets, { passwordCredentials: [{}] }, 'CredentialType'],
    ['an identifier URI (entra E225)', onUris, uri, 'HostName'],
    ['an audience (entra E226)', onAudience, { signInAudience: 'AzureADMultipleOrgs' }, 'SignIn'],
  ]
  for (const [what, applicationRestrictions, properties, code] of rows)
    it(what, async () => {
      const { admin } = await withApi()
      await admin.patch(byDefault, { isEnabled: true, applicationRestrictions })
      const { body, status } = await admin.post('/applications', {
        displayName: 'New',
        ...properties,
      })
      assert.equal(status, 400)
      assert.match(body.error.code, new RegExp(`^${code}`))
    })

  it('an identifier URI of an application, unless it uses SAML and the policy exempts SAML (entra E234)', async () => {
    const { admin, path } = await withApi()
    const { appId } = (await admin.get(path)).body
    const { body: principal } = await admin.post('/servicePrincipals', { appId })
    const identifierUris = { nonDefaultUriAddition: { excludeSaml: true } }
    await admin.patch(byDefault, { isEnabled: true, applicationRestrictions: { identifierUris } })
    assert.equal((await admin.patch(path, uri)).status, 400)
    const mode = { preferredSingleSignOnMode: 'saml' }
    assert.equal((await admin.patch(`/servicePrincipals/${principal.id}`, mode)).status, 204)
    assert.equal((await admin.patch(path, uri)).status, 204)
  })

  it('a certificate of an application and of a service principal, even with a proof', async () => {
    const { admin, clock, path, refusals } = await withApi()
    const { appId, id } = (await admin.get(path)).body
    const { body: principal } = await admin.post('/servicePrincipals', { appId })
    const present = await certifiedKeyOf('Present')
    const { certificate, keyId } = present.credential
    const ofPresent = [{ keyId, key: Buffer.from(certificate).toString('base64') }]
    const holders = [[path, id] as const, [`/servicePrincipals/${principal.id}`, principal.id]]
    for (const [object] of holders) await admin.patch(object, { keyCredentials: ofPresent })
    await admin.patch(byDefault, {
      isEnabled: true,
      applicationRestrictions: onKeys,
      servicePrincipalRestrictions: onKeys,
    })
    const keyCredential = { type: 'AsymmetricX509Cert', usage: 'Verify', key: await keyOf() }
    for (const [object, holder] of holders) {
      const proof = proofOf(present, holder, clock.now)
      const added = await admin.post(`${object}/addKey`, { keyCredential, proof })
      const changed = await admin.patch(object, { keyCredentials: [keyCredential] })
      for (const { status, body } of [added, changed])
        assert.deepEqual(
          [status, body.error.code],
          [400, 'CredentialInvalidLifetimeAsPerAppPolicy'],
        )
      assert.equal(refusals.at(-1)?.reason, 'lifetime_exceeds_policy')
      assert.equal((await admin.post(`${object}/removeKey`, { keyId, proof })).status, 204)
    }
  })

  it('secrets of service principals under separate restrictions', async () => {
    const { admin, path } = await withApi()
    const { appId } = (await admin.get(path)).body
    const { body: principal } = await admin.post('/servicePrincipals', { appId })
    await admin.patch(byDefault, { isEnabled: true, servicePrincipalRestrictions: noSecrets })
    assert.equal((await admin.post(`${path}/addPassword`, {})).status, 200)
    const ofPrincipal = `/servicePrincipals/${principal.id}/addPassword`
    assert.equal((await admin.post(ofPrincipal, {})).status, 400)
  })
})
