import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, verify, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { decodeJwt, decodeProtectedHeader, type JWTHeaderParameters, SignJWT } from 'jose'
import { type SharedSystem, sharedSystem } from '../shared-system.ts'
import { makeClientCertificate } from './client-certificate.ts'
import { ClientPage } from './client-page.ts'
import { bySecret, type Document, HttpsAuthority } from './https-authority.ts'
import { Registrar } from './registrar.ts'

type Key = { readonly [member: string]: string } & { readonly x5c: readonly [string] }
type KeySet = { readonly keys: readonly Key[] }

/** The headers of assertions from clients that are not run here. */
const assertions: readonly {
  readonly client: string
  readonly header: (certificate: X509Certificate) => JWTHeaderParameters
  readonly lifetimeSeconds: number
}[] = [
  {
    client: 'MSAL for Go: the SHA-256 thumbprint in standard base64',
    header: (certificate) => ({
      alg: 'PS256',
      typ: 'JWT',
      'x5t#S256': bytes(certificate.fingerprint256).toString('base64'),
    }),
    lifetimeSeconds: 600,
  },
  {
    client: 'Terraform: the SHA-1 thumbprint in kid, with padding',
    header: (certificate) => ({
      alg: 'RS256',
      typ: 'JWT',
      kid: bytes(certificate.fingerprint)
        .toString('base64')
        .replace(/\+/g, '-')
        .replace(/\//g, '_'),
    }),
    lifetimeSeconds: 3600,
  },
]

const bytes = (fingerprint: string) => Buffer.from(fingerprint.replaceAll(':', ''), 'hex')

const page = new ClientPage('Other languages', 'README')
const readers = Array.from(
  page.text.matchAll(/^\| (.+?) \| `(\/.+?)` \| (.+) \|$/gm),
  ([, reader = '', path = '', members = '']) => ({
    reader,
    path,
    members: Array.from(members.matchAll(/`(.+?)`/g), ([, member = '']) => member),
  }),
)

let system: SharedSystem
let authority: HttpsAuthority

const prepare = async () => {
  system = await sharedSystem()
  authority = new HttpsAuthority(system.clientSettings)
}

const member = (document: Document, path: string): unknown =>
  path.split('.').reduce<unknown>((part, name) => (part as Document)?.[name], document)

describe('the documents that clients in other languages read', () => {
  before(prepare)

  it('are listed in the page', () => {
    assert.notEqual(readers.length, 0)
  })

  for (const { reader, path, members } of readers) {
    it(`${reader}: finds ${members.join(', ')}`, async () => {
      const document = await authority.read(
        path
          .replaceAll('{tid}', authority.tenantId)
          .replaceAll('{host}', new URL(authority.origin).host),
      )
      for (const name of members) assert.ok(member(document, name), `no ${name}`)
    })
  }

  it('MSAL for Python: finds the document of its authority through instance discovery', async () => {
    const query = new URLSearchParams({
      'api-version': '1.0',
      authorization_endpoint: `${authority.origin}/${authority.tenantId}/oauth2/v2.0/authorize`,
    })
    const found = await authority.read(`/common/discovery/instance?${query}`)
    const document = await authority.read(found.tenant_discovery_endpoint)
    assert.equal(document.token_endpoint, authority.tokenEndpoint)
  })

  for (const path of [
    '/v2.0/.well-known/openid-configuration',
    '/.well-known/openid-configuration',
  ])
    it(`MSAL: finds every endpoint of ${path} on the same host, over HTTPS`, async () => {
      const document = await authority.read(`/${authority.tenantId}${path}`)
      for (const name of ['token_endpoint', 'authorization_endpoint', 'jwks_uri'])
        assert.equal(new URL(String(document[name])).origin, authority.origin, name)
    })

  it('MSAL, Spring Security: find the requested authority as the v2.0 issuer', async () => {
    const issuer = `${authority.origin}/${authority.tenantId}/v2.0`
    assert.equal(
      (await authority.read(`${issuer}/.well-known/openid-configuration`)).issuer,
      issuer,
    )
  })

  it('MSAL for Go: is not refused because of the scopes that it always adds', async () => {
    assert.ok(await authority.tokenWithOpenIdScopes(bySecret(system.clientSettings)))
  })

  it('Microsoft.Identity.Web: finds a v1.0 token, its document, its audience and its roles', async () => {
    const token = decodeJwt(await authority.token(bySecret(system.clientSettings)))
    const document = await authority.read(`/${authority.tenantId}/.well-known/openid-configuration`)
    assert.equal(token.iss, document.issuer)
    assert.equal(token.aud, `api://${system.clientSettings.API_APPLICATION_ID}`)
    assert.ok(Array.isArray(token.roles))
  })

  it("Microsoft.Identity.Web: finds the document's issuer in every v2.0 key, but in no v1.0 key", async () => {
    const v2 = await authority.read(`/${authority.tenantId}/v2.0/.well-known/openid-configuration`)
    const v1 = await authority.read(`/${authority.tenantId}/.well-known/openid-configuration`)
    const [v2Keys, v1Keys] = await Promise.all(
      [v2, v1].map((document) => authority.read<KeySet>(document.jwks_uri)),
    )
    for (const { issuer } of v2Keys?.keys ?? []) assert.equal(issuer, v2.issuer)
    assert.ok(v1Keys?.keys.every((key) => !('issuer' in key)))
    assert.deepEqual(
      v1Keys?.keys.map(({ kid }) => kid),
      v2Keys?.keys.map(({ kid }) => kid),
    )
  })

  it('Spring Security: verifies with kty, n and e of the key that the token names', async () => {
    const token = await authority.token(bySecret(system.clientSettings))
    const { kid } = decodeProtectedHeader(token)
    const { keys } = await authority.read<KeySet>(`/${authority.tenantId}/discovery/keys`)
    const named = keys.find((key) => key.kid === kid)
    assert.ok(named)
    const { kty = '', n = '', e = '' } = named
    const [header, payload, signature = ''] = token.split('.')
    const key = createPublicKey({ key: { kty, n, e }, format: 'jwk' })
    assert.ok(
      verify(
        'RSA-SHA256',
        Buffer.from(`${header}.${payload}`),
        key,
        Buffer.from(signature, 'base64url'),
      ),
    )
  })

  it('.NET: reads the same key from the certificate in x5c, to which x5t and kid refer', async () => {
    const { keys } = await authority.read<KeySet>(`/${authority.tenantId}/discovery/v2.0/keys`)
    assert.ok(keys.length >= 2, 'several keys are published')
    for (const { kty = '', n = '', e = '', kid, x5t, x5c } of keys) {
      const certificate = new X509Certificate(Buffer.from(x5c[0], 'base64'))
      assert.deepEqual(certificate.publicKey.export({ format: 'jwk' }), { kty, n, e })
      assert.equal(x5t, bytes(certificate.fingerprint).toString('base64url'))
      assert.equal(kid, x5t)
    }
  })

  it('Terraform: obtains a Graph token that it can read, at the endpoint in the metadata', async () => {
    const metadata = await authority.read('/metadata/endpoints?api-version=2022-09-01')
    const endpoint = `${member(metadata, 'authentication.loginEndpoint')}/${authority.tenantId}/oauth2/v2.0/token`
    const graph = String(metadata.microsoftGraphResourceId).replace(/\/$/, '')
    const scope = `${graph}/.default`
    const token = decodeJwt(
      await authority.token(bySecret(system.administratorSettings), { endpoint, scope }),
    )
    assert.equal(token.aud, graph)
    assert.equal(typeof token.oid, 'string')
    assert.ok(Number.isInteger(token.exp) && Number.isInteger(token.iat))
  })
})

describe('the assertions from clients in other languages', () => {
  let pem: string

  before(async () => {
    await prepare()
    const registrar = await Registrar.from(system.administratorSettings)
    const certificate = await makeClientCertificate(join(system.folder, 'other-languages.pem'))
    await registrar.setCertificate(system.clientSettings.CLIENT_ID ?? '', certificate.base64)
    pem = readFileSync(certificate.file, 'utf8')
  })

  for (const { client, header, lifetimeSeconds } of assertions)
    it(`${client}: obtains a token`, async () => {
      const { CLIENT_ID = '' } = system.clientSettings
      const assertion = await new SignJWT()
        .setProtectedHeader(header(new X509Certificate(pem)))
        .setIssuer(CLIENT_ID)
        .setSubject(CLIENT_ID)
        .setAudience(authority.tokenEndpoint)
        .setJti(crypto.randomUUID())
        .setNotBefore('0 s')
        .setExpirationTime(`${lifetimeSeconds} s`)
        .sign(createPrivateKey(pem))
      const token = await authority.token({
        client_id: CLIENT_ID,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      })
      assert.equal(decodeJwt(token).appidacr, '2')
    })
})
