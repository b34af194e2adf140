import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { graphAppId, type KeyCredential, newAppRoleAssignment, put } from '@greeting/directory'
import { graphRoles } from '../../../../src/management/privileges/graph-roles.ts'
import { proofOf } from '../../privileges/certificate-of.ts'
import { contoso, fabrikam } from '../../sample-graph.ts'
import { withAgent } from '../agents/sample-agents.ts'
import { added, base64, keyCredential, other, present, rolling, signing } from './rolling-client.ts'

const of = (header: object) => ({ header })
const withKeys =
  (...keys: readonly KeyCredential[]) =>
  async ({ have, proof }: Awaited<ReturnType<typeof rolling>>) => {
    await have(...keys)
    return proof()
  }
const unsigned = (proof: string) => {
  const [, claims = ''] = proof.split('.')
  const header = { alg: 'none', typ: 'JWT', x5t: present.credential.sha1Thumbprint }
  return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${claims}.`
}

const [first, second] = [present.credential.sha256Thumbprint, added.sha256Thumbprint]

describe('an application without any role', () => {
  it('adds its own certificate and removes its old one (entra E237)', async () => {
    const { add, log, path, remove, thumbprints } = await rolling()
    const made = await add()
    assert.equal(made.status, 200)
    assert.partialDeepStrictEqual(made.body, {
      '@odata.context': 'https://login.example/v1.0/$metadata#microsoft.graph.keyCredential',
      displayName: 'CN=Added',
      key: null,
      type: 'AsymmetricX509Cert',
      usage: 'Verify',
    })
    assert.deepEqual(thumbprints(), [first, second])
    assert.equal((await remove(present.credential.keyId)).status, 204)
    assert.deepEqual(thumbprints(), [second])
    const { audit } = log
    assert.deepEqual(
      audit.slice(-2).map(({ action, outcome }) => [action, outcome]),
      [
        ['application.addKey', 'done'],
        ['application.removeKey', 'done'],
      ],
    )
    assert.equal((await remove(made.body.keyId)).status, 401, path)
  })

  it('can remove even its last certificate', async () => {
    const { remove, thumbprints } = await rolling()
    assert.equal((await remove(present.credential.keyId)).status, 204)
    assert.deepEqual(thumbprints(), [])
  })

  for (const name of ['appId', 'qualified', 'batch'] as const)
    it(`adds a certificate through another path: ${name}`, async () => {
      const { add, application, client, path, proof, thumbprints } = await rolling()
      if (name === 'batch') {
        const body = { keyCredential, proof: proof() }
        const headers = { 'content-type': 'application/json' }
        const part = { id: '1', method: 'POST', url: `${path}/addKey`, headers, body }
        const { body: answer } = await client.post('/$batch', { requests: [part] })
        assert.partialDeepStrictEqual(answer, { responses: [{ status: 200 }] })
      } else if (name === 'appId') {
        const made = await add(proof(), `/applications(appId='${application.appId}')`)
        assert.equal(made.status, 200)
      } else {
        const body = { keyCredential, proof: proof() }
        assert.equal((await client.post(`${path}/microsoft.graph.addKey`, body)).status, 200)
      }
      assert.deepEqual(thumbprints(), [first, second])
    })

  it('cannot change another application, nor find out whether one exists', async () => {
    const { add, client, clientWith, log, proof, clock } = await rolling()
    const peer = log.directory.applicationByAppId((await clientWith([])).appId)
    const ofPeer = proofOf(present, peer?.id ?? '', clock.now)
    const ids = [peer?.id, contoso.id, 'x', `appId=${contoso.id}`, client.principalId]
    for (const id of ids) {
      for (const sent of [ofPeer, proof(), undefined]) {
        const { status, body } = await add(sent, `/applications/${id}`)
        assert.deepEqual([status, body.error.code], [403, 'Authorization_RequestDenied'], id)
      }
    }
    const { status } = await add(proof(), `/servicePrincipals/${client.principalId}`)
    assert.equal(status, 403, 'its service principal needs the role')
  })

  it('is rejected in another tenant, and when it is disabled', async () => {
    const { actAs, application, client, commit, log, path, proof } = await rolling()
    const body = { keyCredential, proof: proof() }
    const there = actAs(fabrikam.id, application.appId)
    assert.equal((await there.post(`${path}/addKey`, body)).status, 401)
    const principal = log.directory.servicePrincipal(client.principalId)
    assert.ok(principal)
    await commit(put('servicePrincipal', { ...principal, accountEnabled: false }))
    const refused = await client.post(`${path}/addKey`, body)
    assert.equal(refused.body.error.code, 'Authorization_IdentityNotFound')
  })

  it('may be a blueprint, which does not need the roles of its agents', async () => {
    const { agent, blueprint, actAs, clock, commit, giveRole, log, tenantId } = await withAgent()
    await giveRole(agent.id, 'Application.Read.All')
    const before = log.directory.application(blueprint.id)
    assert.ok(before)
    await commit(put('application', { ...before, keyCredentials: [present.credential] }))
    const self = actAs(tenantId, blueprint.appId)
    const proof = proofOf(present, blueprint.id, clock.now)
    const path = `/applications/${blueprint.id}`
    assert.equal((await self.post(`${path}/addKey`, { keyCredential, proof })).status, 200)
    const { keyId } = present.credential
    assert.equal((await self.post(`${path}/removeKey`, { keyId, proof })).status, 204)
  })

  it('gains nothing from its management roles', async () => {
    const { add, application, clientWith, commit, log, proof, runtime, client } = await rolling()
    const api = log.directory.servicePrincipalByAppId(contoso.id, graphAppId)
    const own = log.directory.servicePrincipal(client.principalId)
    assert.ok(api && own)
    const role = graphRoles['AppRoleAssignment.ReadWrite.All'].id
    await commit(put('appRoleAssignment', newAppRoleAssignment(own, api, role, runtime)))
    assert.equal((await add()).status, 200, 'it rolls its own certificate')
    const writer = await clientWith(['Application.ReadWrite.All'])
    const key = base64(other.credential)
    const body = { keyCredential: { ...keyCredential, key }, proof: proof() }
    const refused = await writer.post(`/applications/${application.id}/addKey`, body)
    assert.equal(refused.status, 403)
    assert.match(refused.body.error.message, /AppRoleAssignment\.ReadWrite\.All/)
  })
})

describe('a proof of possession (AS49)', () => {
  const minutes = (count: number) => Date.parse('2026-02-01T12:00:00Z') / 1000 + 60 * count
  const ended = { ...present.credential, endDateTime: new Date('2026-02-01T11:59:59Z') }
  const future = { ...present.credential, startDateTime: new Date('2026-02-01T12:00:01Z') }
  type Rolling = Awaited<ReturnType<typeof rolling>>
  const refused: Readonly<Record<string, readonly [string, (scene: Rolling) => unknown]>> = {
    'that is no JWT': ['malformed', () => 'eyJ0eXAiOiJ'],
    'with padding in its parts': ['malformed', ({ proof }) => proof().replace('.', '=.')],
    'without a signature': ['algorithm_unsupported', ({ proof }) => unsigned(proof())],
    'with the algorithm none': ['algorithm_unsupported', ({ proof }) => proof(of({ alg: 'none' }))],
    'of HMAC with the certificate': [
      'algorithm_unsupported',
      ({ proof }) => proof(of({ alg: 'HS256' })),
    ],
    'that names no key': ['key_missing', ({ proof }) => proof(of({ x5t: undefined }))],
    'of a type of access tokens': ['type_unsupported', ({ proof }) => proof(of({ typ: 'at+jwt' }))],
    'with an extension': ['malformed', ({ proof }) => proof(of({ crit: ['b64'] }))],
    'of another application': ['client_wrong', ({ proof }) => proof({ iss: contoso.id })],
    'of its application ID': [
      'client_wrong',
      ({ proof, application }) => proof({ iss: application.appId }),
    ],
    'for Microsoft Graph': ['audience_wrong', ({ proof }) => proof({ aud: graphAppId })],
    'for several audiences': [
      'audience_wrong',
      ({ proof }) => proof({ aud: ['00000002-0000-0000-c000-000000000000'] }),
    ],
    'by another key': ['key_unknown', ({ proof }) => proof({}, other)],
    'by another key in the name of this one': [
      'signature_invalid',
      ({ proof }) => proof({}, { ...present, privateKey: other.privateKey }),
    ],
    'by a certificate that has ended': ['key_expired', withKeys(ended)],
    'by a certificate that has not begun': ['key_expired', withKeys(future)],
    'by a certificate that was removed': ['key_unknown', withKeys(other.credential)],
    'of a future time': ['time_invalid', ({ proof }) => proof({ nbf: minutes(1) })],
    'that has expired': ['time_invalid', ({ proof }) => proof({ exp: minutes(0) })],
    'for more than ten minutes': ['lifetime_too_long', ({ proof }) => proof({ exp: minutes(11) })],
    'without a start': ['claim_missing', ({ proof }) => proof({ nbf: undefined })],
    'without an end': ['claim_missing', ({ proof }) => proof({ exp: undefined })],
  }
  for (const [name, [fault, make]] of Object.entries(refused))
    it(`${name} is refused as in Entra ID, with the fault ${fault} (entra E239)`, async () => {
      const scene = await rolling()
      const sent = await make(scene)
      const before = scene.thumbprints()
      const { keyId } = present.credential
      for (const { status, body } of [await scene.add(sent), await scene.remove(keyId, sent)]) {
        assert.deepEqual([status, body.error.code], [401, 'Authentication_MissingOrMalformed'])
        assert.match(body.error.message, new RegExp(`malformed\\. .*'${fault}'`))
      }
      assert.deepEqual(scene.thumbprints(), before)
      assert.ok(scene.refusals.some(({ reason }) => reason === 'proof_invalid'))
    })

  it('is reported as a lack of privileges when it is missing (entra E240)', async () => {
    const { add } = await rolling()
    for (const sent of [undefined, null]) assert.equal((await add(sent ?? null)).status, 403)
  })

  it('may be used until it expires, or once if assertions are valid once', async () => {
    const many = await rolling()
    const sent = many.proof()
    assert.equal((await many.add(sent)).status, 200)
    assert.equal((await many.remove(present.credential.keyId, sent)).status, 204)

    const used = new Set<string>()
    const recordUse = async (objectId: string) => {
      const isFirst = !used.has(objectId)
      used.add(objectId)
      return isFirst
    }
    const once = await rolling({ possessionRules: { clockToleranceSeconds: 0, recordUse } })
    const own = once.proof()
    assert.equal((await once.add(own)).status, 200)
    const again = await once.remove(present.credential.keyId, own)
    assert.match(again.body.error.message, /'replayed'/)
  })

  it('is refused if its certificate was removed during the verification', async () => {
    let scene: Rolling | undefined
    const recordUse = async () => {
      // Another certificate under the keyId that the proof names.
      await scene?.have({ ...other.credential, keyId: present.credential.keyId })
      return true
    }
    scene = await rolling({ possessionRules: { clockToleranceSeconds: 0, recordUse } })
    const header = { x5t: undefined, kid: present.credential.keyId }
    const refused = await scene.add(scene.proof({ header }))
    assert.match(refused.body.error.message, /'key_unknown'/)
  })

  it('may be early within the clock tolerance', async () => {
    const { add, proof } = await rolling({ possessionRules: { clockToleranceSeconds: 60 } })
    assert.equal((await add(proof({ nbf: minutes(1), exp: minutes(10) }))).status, 200)
  })
})

describe('a certificate with a proof', () => {
  const kinds: readonly (readonly [string, object, RegExp])[] = [
    [
      'without a type',
      { ...keyCredential, type: undefined },
      /keyCredential.type': it is required/,
    ],
    ['to sign with, but without a password', signing, /usage 'Sign' needs a passwordCredential/],
    ['of the wrong type to sign with', { ...keyCredential, type: signing.type }, /usage Sign/],
    ['with another usage', { ...keyCredential, usage: 'Encrypt' }, /keyCredential.usage'/],
    ['that is symmetric', { ...keyCredential, type: 'Symmetric' }, /keyCredential.type'/],
    ['without a key', { ...keyCredential, key: null }, /must contain a certificate in key/],
    [
      'that is already a credential of the object',
      { ...keyCredential, key: base64(present.credential) },
      /must not be a credential of this object/,
    ],
    [
      'with the keyId of another credential',
      { ...keyCredential, keyId: present.credential.keyId },
      /must not be a credential of this object/,
    ],
    [
      'with a longer lifetime than the certificate itself',
      { ...keyCredential, endDateTime: '2099-01-01T00:00:00Z' },
      /longer than its certificate/,
    ],
  ]
  for (const [name, entry, message] of kinds)
    it(`${name} is refused`, async () => {
      const { client, path, proof, thumbprints } = await rolling()
      const body = { keyCredential: entry, proof: proof() }
      const refused = await client.post(`${path}/addKey`, body)
      assert.equal(refused.status, 400)
      assert.match(refused.body.error.message, message)
      assert.deepEqual(thumbprints(), [first])
    })

  it('may not be combined with a password', async () => {
    const { client, path, proof } = await rolling()
    const passwordCredential = { secretText: 'of the key' }
    const body = { keyCredential, passwordCredential, proof: proof() }
    const refused = await client.post(`${path}/addKey`, body)
    assert.equal(refused.status, 400)
    assert.doesNotMatch(refused.body.error.message, /of the key/)
  })

  it('is refused if the object has 100', async () => {
    const { add, have, thumbprints } = await rolling()
    const rest = Array.from({ length: 99 }, (_, at) => ({
      ...other.credential,
      keyId: crypto.randomUUID(),
      sha256Thumbprint: `${at}`,
    }))
    await have(present.credential, ...rest)
    const refused = await add()
    assert.match(refused.body.error.message, /more than 100/)
    assert.equal(thumbprints()?.length, 100)
  })

  it('cannot be removed if it is unknown or belongs to another application', async () => {
    const { application, commit, remove } = await rolling()
    const id = crypto.randomUUID()
    const peer = { ...application, id, appId: id, keyCredentials: [other.credential] }
    await commit(put('application', peer))
    for (const keyId of [contoso.id, other.credential.keyId]) {
      const { status, body } = await remove(keyId)
      assert.deepEqual([status, body.error.message], [400, 'No key credential found with keyId.'])
    }
  })
})
