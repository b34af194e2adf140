import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeProtectedHeader, exportPKCS8, generateKeyPair, jwtVerify } from 'jose'
import { type PrivateKeyJwtOptions, privateKeyJwt } from '../../src/credentials/private-key-jwt.ts'
import { createSourceOf } from '../../src/token/token-source.ts'
import { tokenSourceIn } from '../fakes/token-source-in.ts'
import { grant, VirtualRuntime } from '../fakes/virtual-runtime.ts'

const tokenEndpoint = 'https://login.example/tenant/oauth2/v2.0/token'
const issuer = 'https://login.example/tenant/v2.0'
type Algorithm = PrivateKeyJwtOptions['algorithm']

const keyOf = (algorithm: Algorithm) => generateKeyPair(algorithm, { extractable: true })

/** The assertion of one request to a server whose issuer is known from metadata, or is not. */
async function sentAssertion(options: PrivateKeyJwtOptions, knownIssuer?: string) {
  const environment = new VirtualRuntime(grant('t1'))
  const credential = await privateKeyJwt(options)
  const metadata = { issuer, token_endpoint_auth_methods_supported: ['private_key_jwt'] }
  await createSourceOf(
    { credential, runtime: environment.runtime },
    { tokenEndpoint, clientId: 'client-id', ...(knownIssuer && { metadata }) },
  ).token()
  return environment.sent[0]?.form.get('client_assertion') ?? ''
}

describe('a private key without a certificate', () => {
  for (const algorithm of ['ES256', 'RS256', 'PS256'] as const) {
    it(`signs with ${algorithm}, and names no certificate`, async () => {
      const { privateKey, publicKey } = await keyOf(algorithm)
      const pem = await exportPKCS8(privateKey)
      for (const key of [pem, privateKey]) {
        const assertion = await sentAssertion({ privateKey: key, algorithm })
        assert.deepEqual(decodeProtectedHeader(assertion), { alg: algorithm, typ: 'JWT' })
        const currentDate = new Date(new VirtualRuntime().runtime.wallClockMs())
        const { payload } = await jwtVerify(assertion, publicKey, { currentDate })
        const { iss, sub, aud } = payload
        assert.deepEqual(
          { iss, sub, aud },
          { iss: 'client-id', sub: 'client-id', aud: tokenEndpoint },
        )
      }
    })
  }

  const audiences: readonly (readonly [
    string,
    PrivateKeyJwtOptions['audience'],
    string | undefined,
    string,
  ])[] = [
    ['the issuer in the metadata', undefined, issuer, issuer],
    ['the token endpoint without metadata', undefined, undefined, tokenEndpoint],
    ['the token endpoint if an option selects it', 'token-endpoint', issuer, tokenEndpoint],
    ['the issuer if an option selects it', 'issuer', issuer, issuer],
  ]
  for (const [what, audience, knownIssuer, expected] of audiences) {
    it(`is used in assertions for ${what}`, async () => {
      const { privateKey } = await keyOf('ES256')
      const options = { privateKey, algorithm: 'ES256', ...(audience && { audience }) } as const
      const [, payload = ''] = (await sentAssertion(options, knownIssuer)).split('.')
      assert.equal(JSON.parse(Buffer.from(payload, 'base64url').toString()).aud, expected)
    })
  }

  it('appears by its key ID in the header', async () => {
    const { privateKey } = await keyOf('ES256')
    const assertion = await sentAssertion({ privateKey, algorithm: 'ES256', keyId: 'key-1' })
    assert.equal(decodeProtectedHeader(assertion).kid, 'key-1')
  })

  it('causes no request if its audience is the issuer, and no issuer is known', async () => {
    const { privateKey } = await keyOf('ES256')
    const environment = new VirtualRuntime(grant('t1'))
    const credential = await privateKeyJwt({ privateKey, algorithm: 'ES256', audience: 'issuer' })
    await assert.rejects(tokenSourceIn(environment, { credential }).token(), {
      code: 'credential_unreadable',
      message: /the issuer is not known; set `audience` to 'token-endpoint'/,
    })
    assert.equal(environment.sent.length, 0)
  })

  const faults: readonly (readonly [string, Algorithm, Algorithm])[] = [
    ['an RSA key for ES256', 'RS256', 'ES256'],
    ['a P-256 key for RS256', 'ES256', 'RS256'],
    ['a P-256 key for PS256', 'ES256', 'PS256'],
  ]
  for (const [what, has, algorithm] of faults) {
    it(`is refused immediately with ${what}`, async () => {
      const { privateKey } = await keyOf(has)
      const message = `the private key does not fit ${algorithm}`
      for (const key of [privateKey, await exportPKCS8(privateKey)]) {
        await assert.rejects(privateKeyJwt({ privateKey: key, algorithm }), {
          name: 'TypeError',
          message,
        })
      }
    })
  }

  it('is refused with an unknown algorithm', async () => {
    const { privateKey } = await keyOf('ES256')
    const algorithm = 'none' as never
    await assert.rejects(privateKeyJwt({ privateKey, algorithm }), {
      message: /`algorithm` must be 'ES256' or 'RS256' or 'PS256'/,
    })
  })
})
