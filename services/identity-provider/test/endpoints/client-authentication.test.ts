import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { createPassword, credentialName, systemRuntime } from '@greeting/directory'
import { StorageUnavailableError } from '@greeting/directory/live'
import { decodeJwt, FlattenedSign } from 'jose'
import { wholeDirectory } from '../../../../test/fixtures/directory/whole-directory.ts'
import {
  type AssertionParts,
  asProof,
  assertionOf,
  type ClientCertificate,
  clientCertificate,
  v2Endpoint,
} from './client-certificate.ts'
import { changeClient } from './client-change.ts'
import { clientId, type TestService, tenantId, testService } from './test-service.ts'

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

async function claimsOf(response: Response) {
  const body = await response.json()
  assert.equal(response.status, 200, JSON.stringify(body))
  return decodeJwt(body.access_token)
}

const codeOf = async (response: Response) => (await response.json()).error_codes?.[0]

describe('a client secret', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })

  it('is accepted in the form, and the audit record contains the method', async () => {
    assert.equal((await claimsOf(await service.token(service.form()))).appidacr, '1')
  })

  // RFC 6749 section 2.3.1: both parts are URL-encoded; openid-client writes %2D for each dash.
  const encodings: [string, (text: string) => string][] = [
    ['unencoded', (text) => text],
    ['URL-encoded', encodeURIComponent],
    ['with every dash encoded', (text) => encodeURIComponent(text).replaceAll('-', '%2D')],
  ]
  for (const [how, encode] of encodings) {
    it(`is accepted in a Basic header, ${how} (AS4)`, async () => {
      const form = service.form({ client_id: '', client_secret: '' })
      const headers = basic(encode(clientId), encode(service.secret))
      assert.equal((await claimsOf(await service.token(form, { headers }))).appidacr, '1')
    })
  }

  it('is accepted in a Basic header beside the same client ID in another case in the form', async () => {
    const form = service.form({ client_id: clientId.toUpperCase(), client_secret: '' })
    const headers = basic(clientId, service.secret)
    await claimsOf(await service.token(form, { headers }))
  })

  it('gets a Basic challenge when it is wrong, but only if the request used Basic (AS5)', async () => {
    const form = service.form({ client_secret: '' })
    const wrong = await service.token(form, { headers: basic(clientId, 'wrong') })
    assert.equal(wrong.status, 401)
    assert.match(wrong.headers.get('www-authenticate') ?? '', /^Basic /)
    const inForm = await service.token(service.form({ client_secret: 'wrong' }))
    assert.equal(inForm.status, 401)
    assert.equal(inForm.headers.get('www-authenticate'), null)
  })

  it('gets no challenge when it is correct but the rest of the request is wrong', async () => {
    const form = service.form({ client_secret: '', scope: 'openid' })
    const response = await service.token(form, { headers: basic(clientId, service.secret) })
    assert.equal(response.status, 400)
    assert.equal(response.headers.get('www-authenticate'), null)
  })

  it('overlaps with other secrets, each with its own start, end and hint', async () => {
    const own = await testService()
    const at = (text: string) => new Date(text)
    const secrets = [
      createPassword({ displayName: 'old' }, systemRuntime),
      createPassword({ displayName: 'new' }, systemRuntime),
      createPassword(
        { startDateTime: at('2999-01-01'), endDateTime: at('3000-01-01') },
        systemRuntime,
      ),
    ] as const
    await changeClient(own, { passwordCredentials: secrets.map(({ credential }) => credential) })
    const client = (await wholeDirectory(own.store)).applicationByAppId(clientId)
    assert.ok(client)
    for (const { credential, secretText } of secrets.slice(0, 2)) {
      await claimsOf(await own.token(own.form({ client_secret: secretText })))
      assert.ok(own.uses.has(credentialName(client, credential.keyId)))
    }
    const early = await own.token(own.form({ client_secret: secrets[2].secretText }))
    assert.equal(await codeOf(early), 7000215)
    const removed = await own.token(own.form())
    assert.equal(await codeOf(removed), 7000215)
  })

  it('must match completely: its ID, its hash and parts of it are refused', async () => {
    const application = (await wholeDirectory(service.store)).applicationByAppId(clientId)
    const [credential] = application?.passwordCredentials ?? []
    const { keyId = '', hint = '', secretSha256 = new Uint8Array() } = credential ?? {}
    const { secret } = service
    const wrong = [
      keyId,
      hint,
      Buffer.from(secretSha256).toString('base64'),
      Buffer.from(secretSha256).toString('hex'),
      secret.slice(1),
      `${secret}a`,
      ` ${secret}`,
      secret.toLowerCase(),
      `${secret}\0`,
    ]
    for (const client_secret of wrong)
      assert.equal(await codeOf(await service.token(service.form({ client_secret }))), 7000215)
  })
})

describe('a client assertion', () => {
  let certificate: ClientCertificate
  let other: ClientCertificate
  let service: TestService

  before(async () => {
    certificate = await clientCertificate()
    other = await clientCertificate()
    service = await testService()
    await changeClient(service, { keyCredentials: [other.credential, certificate.credential] })
  })

  const send = async (parts: AssertionParts, to: TestService = service) =>
    to.token(to.form(asProof(await assertionOf(certificate, parts))))

  const standardBase64 = (thumbprint: string) =>
    Buffer.from(thumbprint, 'base64url').toString('base64')
  const padded = (thumbprint: string) =>
    standardBase64(thumbprint).replaceAll('+', '-').replaceAll('/', '_')
  const hex = (thumbprint: string) =>
    Buffer.from(thumbprint, 'base64url').toString('hex').toUpperCase()

  // The forms that real clients send (entra E28 to E34), and every other encoding of them.
  const encodings = { base64url: String, standardBase64, padded, hex }
  const algorithms = ['RS256', 'RS384', 'RS512', 'PS256']
  const headerNames = [
    ['x5t#S256', 'sha256Thumbprint'],
    ['x5t', 'sha1Thumbprint'],
    ['kid', 'sha1Thumbprint'],
    ['kid', 'sha256Thumbprint'],
  ] as const
  for (const alg of algorithms) {
    for (const [name, thumbprint] of headerNames) {
      for (const [encoding, encode] of Object.entries(encodings)) {
        it(`is accepted with ${alg} and the ${thumbprint} in ${encoding} as ${name}`, async () => {
          const value = encode(certificate.credential[thumbprint])
          const header = { alg, 'x5t#S256': null, [name]: value }
          assert.equal((await claimsOf(await send({ header }))).appidacr, '2')
        })
      }
    }
  }

  const audiences: [string, string][] = [
    ['the token endpoint', v2Endpoint],
    ['the v1 token endpoint', `http://login.test/${tenantId}/oauth2/token`],
    ['the token endpoint under a domain', 'http://login.test/greeting.localhost/oauth2/v2.0/token'],
    ['the issuer of v2.0 tokens', `http://login.test/${tenantId}/v2.0`],
    ['the issuer of v1.0 tokens', `http://sts.test/${tenantId}/`],
  ]
  for (const [what, aud] of audiences) {
    it(`may have ${what} as its audience (AS17)`, async () => {
      await claimsOf(await send({ claims: { aud } }))
    })
  }

  const foreign: [string, unknown][] = [
    ['another tenant', v2Endpoint.replace(tenantId, '00000000-0000-4000-8000-000000000001')],
    ['another host', v2Endpoint.replace('login.test', 'evil.test')],
    ['a list with another server in it (CVE-2025-27370)', [v2Endpoint, 'https://evil.test']],
    ['a list', [v2Endpoint]],
    ['an additional slash', `${v2Endpoint}/`],
    ['another case', v2Endpoint.toUpperCase()],
    ['no audience', ''],
  ]
  for (const [what, aud] of foreign) {
    it(`may not have ${what} as its audience (AS17)`, async () => {
      assert.equal(await codeOf(await send({ claims: { aud } })), 700023)
    })
  }

  const forged: [string, (token: string) => string][] = [
    ['with another signature', (token) => `${token.slice(0, -8)}AAAAAAAA`],
    ['without a signature', (token) => token.replace(/[^.]+$/, '')],
    ['with an additional part', (token) => `${token}.x`],
    ['in JSON', (token) => JSON.stringify({ payload: token.split('.')[1] })],
    ['with 16 KB of dots (CVE-2025-30204)', () => '.'.repeat(16_384)],
    ['with the algorithm none', (token) => token.replace(/^[^.]+/, encoded({ alg: 'none' }))],
    ['with HS256 (CVE-2026-11800)', (token) => token.replace(/^[^.]+/, encoded({ alg: 'HS256' }))],
  ]
  for (const [how, forge] of forged) {
    it(`is refused ${how}`, async () => {
      const token = forge(await assertionOf(certificate))
      const response = await service.token(service.form(asProof(token)))
      assert.ok(response.status === 400 || response.status === 401)
      assert.ok([50027, 5002738, 700027, 5002723].includes(await codeOf(response)))
    })
  }

  for (const claim of ['iss', 'sub', 'exp', 'nbf', 'iat', 'jti', 'aud']) {
    for (const value of [true, {}, ['x', 1], 9e15]) {
      it(`is refused with ${claim} as ${JSON.stringify(value)}`, async () => {
        const { status } = await send({ claims: { [claim]: value } })
        assert.ok(status === 400 || status === 401, `${status}`)
      })
    }
  }

  it('is refused with the certificate of another client (AS21)', async () => {
    const elsewhere = await testService()
    await changeClient(elsewhere, { keyCredentials: [other.credential] })
    assert.equal(await codeOf(await send({}, elsewhere)), 700027)
  })

  it('may be used several times until it expires, as with MSAL Node', async () => {
    const proof = asProof(await assertionOf(certificate))
    for (let use = 0; use < 3; use += 1) await claimsOf(await service.token(service.form(proof)))
  })

  it('can be used once if the setting requires it, and a refusal does not consume it (AS20)', async () => {
    const spent = new Set<string>()
    const strict = await testService({
      assertions: {
        spend: async (client, jti) =>
          !spent.has(`${client} ${jti}`) && !!spent.add(`${client} ${jti}`),
      },
    })
    await changeClient(strict, { keyCredentials: [certificate.credential] })
    const assertion = await assertionOf(certificate)
    const broken = `${assertion.slice(0, -8)}AAAAAAAA`
    assert.equal(await codeOf(await strict.token(strict.form(asProof(broken)))), 700027)
    await claimsOf(await strict.token(strict.form(asProof(assertion))))
    assert.equal(await codeOf(await strict.token(strict.form(asProof(assertion)))), 700027)
    assert.equal(await codeOf(await send({ claims: { jti: null } }, strict)), 90014)
  })

  // RFC 7797 section 7 forbids an unencoded payload in a JWT: the parsed text would differ from the
  // signed one.
  it('is refused with an unencoded payload, even if its key signed it (AS21)', async () => {
    const payload = decodeJwt(await assertionOf(certificate))
    const header = {
      alg: 'PS256',
      'x5t#S256': certificate.credential.sha256Thumbprint,
      crit: ['b64'],
      b64: false,
    }
    const claims = encoded(payload)
    const signed = await new FlattenedSign(Buffer.from(claims))
      .setProtectedHeader(header)
      .sign(certificate.privateKey)
    const response = await service.token(
      service.form(asProof(`${signed.protected}.${claims}.${signed.signature}`)),
    )
    assert.equal(response.status, 400)
    assert.equal(await codeOf(response), 50027)
  })

  // The store cannot keep a later end in the order of texts, so it would forget the use.
  for (const exp of [253_370_764_801, 253_402_300_799, 253_402_300_800, 8_640_000_000_000]) {
    it(`of another issuer is refused if it expires at ${exp} and assertions are valid once (AS20)`, async () => {
      const strict = await testService({
        verifyFederated: async () => 'valid',
        assertions: { spend: async (_client, _jti, at) => at.toISOString() !== '' },
      })
      const federation = {
        id: clientId,
        name: 'cluster',
        description: null,
        issuer: 'https://issuer.example',
        subject: 'job',
        audiences: ['api://AzureADTokenExchange'],
      }
      await changeClient(strict, { federatedIdentityCredentials: [federation] })
      const claims = { iss: federation.issuer, sub: 'job', aud: 'api://AzureADTokenExchange', exp }
      const response = await send({ claims }, strict)
      assert.equal(response.status, 400)
      assert.equal(await codeOf(response), 50027)
    })
  }

  it('is refused while the store cannot report an earlier use (AS20)', async () => {
    const strict = await testService({
      assertions: { spend: () => Promise.reject(new StorageUnavailableError('away')) },
    })
    await changeClient(strict, { keyCredentials: [certificate.credential] })
    const response = await send({}, strict)
    assert.equal(response.status, 503)
    assert.equal(response.headers.get('retry-after'), '1')
  })

  for (const [when, agoMs, status] of [
    ['if the store was rolled back just now', 0, 503],
    ['if the store was rolled back two minutes ago', 120_000, 200],
    // The service says so while its clock is behind.
    ['if the clock was set back', -1e12, 503],
  ] as const) {
    it(`that is valid once gets ${status} ${when} (AS37)`, async () => {
      const strict = await testService({
        assertions: { spend: async () => true },
        storeWentBackAt: () => new Date(Date.now() - agoMs),
      })
      await changeClient(strict, { keyCredentials: [certificate.credential] })
      const response = await send({}, strict)
      assert.equal(response.status, status)
      assert.equal(response.headers.get('retry-after'), status === 503 ? '1' : null)
    })
  }

  it('works when secrets are disabled for the client (AS10)', async () => {
    const strict = await testService()
    await changeClient(strict, {
      keyCredentials: [certificate.credential],
      passwordAuthenticationAllowed: false,
    })
    await claimsOf(await send({}, strict))
    assert.equal(await codeOf(await strict.token(strict.form())), 7000215)
  })
})

const encoded = (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url')
