import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import { clientCertificate } from '../../src/credentials/client-certificate.ts'
import { type CertifiedKey, createCertifiedKey } from '../fakes/certified-key.ts'
import { tokenSourceIn } from '../fakes/token-source-in.ts'
import { grant, json, noConnection, refusal, VirtualRuntime } from '../fakes/virtual-runtime.ts'

const endpoint = 'https://login.example/tenant/oauth2/v2.0/token'
let key: CertifiedKey

before(async () => {
  key = await createCertifiedKey()
})

async function assertionsSent(environment: VirtualRuntime) {
  const { token } = tokenSourceIn(environment, { credential: await clientCertificate(pemOf(key)) })
  await token().catch(() => undefined)
  return environment.sent.map(({ form }) => form.get('client_assertion') ?? '')
}

const pemOf = ({ privateKey, certificate }: CertifiedKey) => ({ privateKey, certificate })

describe('a client certificate', () => {
  it('signs an assertion that the identity provider accepts (CL5)', async () => {
    const environment = new VirtualRuntime(grant('t1'))
    const [assertion = ''] = await assertionsSent(environment)
    assert.deepEqual(decodeProtectedHeader(assertion), {
      alg: 'PS256',
      typ: 'JWT',
      'x5t#S256': key.thumbprint,
    })
    const currentDate = new Date(environment.runtime.wallClockMs())
    const { payload } = await jwtVerify(assertion, key.publicKey, { currentDate })
    const { jti = '', iat = 0, nbf = 0, exp = 0, ...claims } = payload
    assert.deepEqual(claims, { iss: 'client-id', sub: 'client-id', aud: endpoint })
    assert.match(jti, /^[\w-]{16,}$/)
    assert.deepEqual([nbf - iat, exp - iat], [0, 300])
    const form = Object.fromEntries(environment.sent[0]?.form ?? [])
    assert.equal(
      form.client_assertion_type,
      'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    )
    assert.equal(form.client_id, 'client-id')
    assert.ok(!('client_secret' in form))
  })

  it('signs a new assertion with a new jti for each attempt (CL10)', async () => {
    const sent = await assertionsSent(new VirtualRuntime(noConnection, json(503, {}), grant('t1')))
    assert.equal(new Set(sent).size, 3)
  })

  it('learns a clock difference of an hour from a refusal, and retries once', async () => {
    const environment = new VirtualRuntime(
      (request, signal) =>
        json(
          401,
          { error: 'invalid_client', error_description: 'AADSTS700024: Not within its time.' },
          { date: new Date(environment.runtime.wallClockMs() + 3_600_000).toUTCString() },
        )(request, signal),
      grant('t1'),
    )
    const [first = '', second = ''] = await assertionsSent(environment)
    const iat = (assertion: string) =>
      JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString()).iat
    assert.equal(iat(second) - iat(first), 3600)
    assert.equal(environment.sent.length, 2)
  })

  it('does not retry if the clock is right', async () => {
    const environment = new VirtualRuntime(refusal('invalid_client', 700027))
    await assertionsSent(environment)
    assert.equal(environment.sent.length, 1)
  })

  it('accepts a non-extractable key', async () => {
    const der = Buffer.from(key.privateKey.replaceAll(/-----[^-]+-----/g, ''), 'base64')
    const algorithm = { name: 'RSA-PSS', hash: 'SHA-256' }
    const privateKey = await crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
    const credential = await clientCertificate({ privateKey, certificate: key.certificate })
    assert.equal(await tokenSourceIn(new VirtualRuntime(grant('t1')), { credential }).token(), 't1')
  })

  const faults: readonly (readonly [
    string,
    () => Parameters<typeof clientCertificate>[0],
    RegExp,
  ])[] = [
    ['no key', () => ({ ...pemOf(key), privateKey: '' }), /`privateKey` must be PEM of PKCS #8/],
    ['no PEM', () => ({ ...pemOf(key), privateKey: 'x' }), /there is no PEM block "PRIVATE KEY"/],
    [
      'PKCS #1',
      () => ({ ...pemOf(key), privateKey: '-----BEGIN RSA PRIVATE KEY-----' }),
      /PKCS #1; convert it to PKCS #8 with "openssl pkcs8 -topk8 -nocrypt"/,
    ],
    [
      'an encrypted key',
      () => ({ ...pemOf(key), privateKey: '-----BEGIN ENCRYPTED PRIVATE KEY-----' }),
      /encrypted; decrypt it with "openssl pkcs8 -nocrypt"/,
    ],
    ['no certificate', () => ({ ...pemOf(key), certificate: key.privateKey }), /"CERTIFICATE"/],
  ]
  for (const [what, options, message] of faults) {
    it(`is refused immediately with ${what}`, async () => {
      await assert.rejects(clientCertificate(options()), { name: 'TypeError', message })
    })
  }
})
