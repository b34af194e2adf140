import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { tokenExchangeAppId } from '@greeting/directory'
import { decodeJwt, SignJWT } from 'jose'
import {
  type ForeignIssuer,
  startForeignIssuer,
} from '../../../../../test/fixtures/foreign-issuer.ts'
import { rsaKeyPair } from '../../../../../test/fixtures/rsa-key-pair.ts'
import type { FederatedVerification } from '../../../src/issuance/federated-authentication.ts'
import {
  FederatedIssuers,
  type FederatedIssuersOptions,
} from '../../../src/issuance/federation/federated-issuers.ts'
import { asProof } from '../../endpoints/client-certificate.ts'
import { changeClient } from '../../endpoints/client-change.ts'
import { testService } from '../../endpoints/test-service.ts'

const subject = 'system:serviceaccount:jobs:nightly'
const audience = 'api://AzureADTokenExchange'

let foreign: ForeignIssuer
let issuers: FederatedIssuers

before(async () => {
  foreign = await startForeignIssuer()
})
after(() => foreign.close())

function withOptions(options: Partial<FederatedIssuersOptions>): FederatedIssuers {
  return new FederatedIssuers({ allowedHosts: [foreign.host], timeoutMs: 30_000, ...options })
}

const tenantId = '8d3a6f0e-4c1b-4f5e-9a57-2f6d1c0b7e94'
const expected = () => ({ issuer: foreign.issuer, subject, audience, tenantId })

// A hook at the root of the file would run before every test of the process.
const useFreshIssuers = () => {
  beforeEach(() => {
    foreign.answer = undefined
    foreign.asked.length = 0
    issuers = withOptions({})
  })
  afterEach(() => issuers.stop())
}

describe('foreign token issuers', () => {
  useFreshIssuers()

  it('receive one request for the keys that verify their tokens', async () => {
    for (let use = 0; use < 3; use += 1)
      assert.equal(await issuers.verify(foreign.token(), expected()), 'valid')
    assert.deepEqual(foreign.asked, ['/cluster/.well-known/openid-configuration', '/cluster/keys'])
  })

  const signed = (kid: string) =>
    new SignJWT(decodeJwt(foreign.token()))
      .setProtectedHeader({ alg: 'RS256', kid })
      .sign(rsaKeyPair().privateKey)
  const ahead = () => Math.floor(Date.now() / 1000) + 900
  const refused: [string, () => string | Promise<string>, FederatedVerification][] = [
    ['has expired', () => foreign.token({ nbf: 1, iat: 1, exp: 2 }), 'time_invalid'],
    ['is not valid yet', () => foreign.token({ nbf: ahead(), exp: ahead() + 60 }), 'time_invalid'],
    ['is for another audience', () => foreign.token({ aud: 'api://other' }), 'invalid'],
    ['is of another subject', () => foreign.token({ sub: 'another' }), 'invalid'],
    ['is signed with another key', () => signed('theirs'), 'invalid'],
    ['is signed with an unpublished key', () => signed('ours'), 'key_unknown'],
  ]
  for (const ver of ['2.0', '1.0', 1, null])
    it(`may use any value for ver: ${JSON.stringify(ver)}`, async () =>
      assert.equal(await issuers.verify(foreign.token({ ver }), expected()), 'valid'))

  it('may identify the API for token exchange by its ID, as Entra ID does', async () => {
    const token = foreign.token({ aud: tokenExchangeAppId })
    const toId = { ...expected(), audience: tokenExchangeAppId }
    assert.equal(await issuers.verify(token, toId), 'valid')
  })

  for (const [what, token, result] of refused) {
    it(`are not trusted for a token that ${what}`, async () => {
      assert.equal(await issuers.verify(await token(), expected()), result)
    })
  }

  const documents =
    (keys: ForeignIssuer['answer']): ForeignIssuer['answer'] =>
    (asked, response) =>
      asked.url?.endsWith('/keys')
        ? keys?.(asked, response)
        : response.end(
            JSON.stringify({ issuer: foreign.issuer, jwks_uri: `${foreign.issuer}/keys` }),
          )
  const keySets: [string, ForeignIssuer['answer'], FederatedVerification][] = [
    ['HTML', (_, response) => response.end('<html>'), 'keys_malformed'],
    ['an empty body', (_, response) => response.end(), 'keys_malformed'],
    ['another document', (_, response) => response.end('{"error":"x"}'), 'keys_malformed'],
    ['no key', (_, response) => response.end('{"keys":[]}'), 'keys_malformed'],
    ['a broken key', (_, response) => response.end('{"keys":[{"kty":"RSA"}]}'), 'keys_malformed'],
    ['500', (_, response) => response.writeHead(500).end(), 'issuer_unreachable'],
    ['404', (_, response) => response.writeHead(404).end(), 'issuer_unreachable'],
    ['a redirect', (_, response) => response.writeHead(302).end(), 'issuer_unreachable'],
    ['300 KB', (_, response) => response.end('x'.repeat(300_000)), 'issuer_unreachable'],
    ['an interrupted connection', ({ socket }) => socket.destroy(), 'issuer_unreachable'],
  ]
  for (const [what, answer, result] of keySets)
    it(`whose key set response is ${what} cause ${result}`, async () => {
      foreign.answer = documents(answer)
      for (let use = 0; use < 2; use += 1)
        assert.equal(await issuers.verify(foreign.token(), expected()), result)
    })

  it('receive no request when their host is not on the list (AS23)', async () => {
    const none = withOptions({ allowedHosts: [] })
    assert.equal(await none.verify(foreign.token(), expected()), 'issuer_not_allowed')
    assert.deepEqual(foreign.asked, [])
  })

  const unreachable: [string, ForeignIssuer['answer']][] = [
    ['fails', (_, response) => response.writeHead(500).end()],
    ['redirects', (_, response) => response.writeHead(302, { location: '/keys' }).end()],
    ['never responds', () => undefined],
    ['responds without a document', (_, response) => response.end('<html>')],
    [
      'responds with the document of another issuer',
      (_, response) => response.end(JSON.stringify({ issuer: 'https://other', jwks_uri: 'x' })),
    ],
    [
      'has its keys at a host that is not on the list',
      (_, response) =>
        response.end(
          JSON.stringify({ issuer: foreign.issuer, jwks_uri: 'http://169.254.169.254/keys' }),
        ),
    ],
    ...[{ authorization_endpoint: '' }, { subject_types_supported: [] }].map(
      (part): (typeof unreachable)[number] => [
        `has ${JSON.stringify(part)} in its document, as SPIRE writes it`,
        (_, response) =>
          response.end(
            JSON.stringify({ issuer: foreign.issuer, jwks_uri: `${foreign.issuer}/keys`, ...part }),
          ),
      ],
    ),
    ['responds endlessly', (_, response) => response.end('x'.repeat(300_000))],
  ]
  for (const [what, answer] of unreachable) {
    it(`cause an unknown result, not a refusal, when an issuer ${what}`, async () => {
      foreign.answer = answer
      const impatient = withOptions({ timeoutMs: 300 })
      assert.equal(await impatient.verify(foreign.token(), expected()), 'issuer_unreachable')
      await impatient.stop()
      assert.deepEqual(foreign.asked, ['/cluster/.well-known/openid-configuration'])
    })
  }

  it('receive no request for a while after a failure, and another one afterwards', async () => {
    let nowMs = 0
    const patient = withOptions({ cooldownMs: 5000, runtime: { monotonicMs: () => nowMs } })
    foreign.answer = (_, response) => response.writeHead(500).end()
    const token = foreign.token()
    for (let attempt = 0; attempt < 5; attempt += 1)
      assert.equal(await patient.verify(token, expected()), 'issuer_unreachable')
    assert.equal(foreign.asked.length, 1)
    foreign.answer = undefined
    nowMs = 5001
    assert.equal(await patient.verify(token, expected()), 'valid')
    await patient.stop()
  })

  it('receive one request for many simultaneous verifications', async () => {
    const token = foreign.token()
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, () => issuers.verify(token, expected())),
    )
    assert.ok(verdicts.every((verdict) => verdict === 'valid'))
    assert.equal(foreign.asked.length, 2)
  })
})

describe('an issuer of this server', () => {
  useFreshIssuers()

  it('receives no request, even when its host is on the list', async () => {
    const own = { tenantId, tokenVersion: '2.0' } as const
    const here = withOptions({ own: { find: async () => own, publishedKeys: () => [] } })
    const toId = { ...expected(), audience: tokenExchangeAppId }
    assert.equal(await here.verify(foreign.token(), toId), 'issuer_unreachable')
    assert.equal(await here.verify(foreign.token(), expected()), 'token_type_forbidden')
    const v1 = withOptions({
      own: { find: async () => ({ ...own, tokenVersion: '1.0' }), publishedKeys: () => [] },
    })
    assert.equal(await v1.verify(foreign.token(), toId), 'token_type_forbidden')
    const ofOther = { ...toId, tenantId: 'other' }
    assert.equal(await here.verify(foreign.token(), ofOther), 'issuer_of_other_tenant')
    assert.deepEqual(foreign.asked, [])
    await here.stop()
  })
})

describe('a federated identity', () => {
  useFreshIssuers()

  it('authenticates a client that trusts it, and the token has the authentication class "2"', async () => {
    const service = await testService({ verifyFederated: issuers.verify })
    await changeClient(service, {
      federatedIdentityCredentials: [
        {
          id: '99999999-0000-4000-8000-000000000000',
          name: 'nightly',
          description: null,
          issuer: foreign.issuer,
          subject,
          audiences: [audience],
        },
      ],
    })
    const response = await service.token(service.form(asProof(foreign.token())))
    const body = await response.json()
    assert.equal(response.status, 200, JSON.stringify(body))
    assert.equal(decodeJwt<{ appidacr: string }>(body.access_token).appidacr, '2')
  })
})
