import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import {
  asProof,
  assertionOf,
  type ClientCertificate,
  clientCertificate,
  curvedCertificate,
} from './client-certificate.ts'
import { changeApi, changeClient } from './client-change.ts'
import { apiId, type TestService, tenantId, testService } from './test-service.ts'

const uri = `api://${apiId}`
const url = 'http://127.0.0.1:3001/mcp'
const issuer = `http://login.test/${tenantId}/v2.0`

let own: ClientCertificate
let another: ClientCertificate
let curved: ClientCertificate
let services: Record<'on' | 'off' | 'once', TestService>
before(async () => {
  own = await clientCertificate()
  another = await clientCertificate(30)
  curved = await curvedCertificate()
  const start = async (over: Parameters<typeof testService>[0]) => {
    const service = await testService(over)
    await changeApi(service, { identifierUris: [url, uri] })
    const keyCredentials = [another, own, curved].map(({ credential }) => credential)
    await changeClient(service, { keyCredentials })
    return service
  }
  const used = new Set<string>()
  const spend = async (_: string, jti: string) => !used.has(jti) && Boolean(used.add(jti))
  services = {
    on: await start({ acceptsMcpClients: true }),
    off: await start({}),
    once: await start({ acceptsMcpClients: true, assertions: { spend } }),
  }
})

/** An assertion as the SDKs of MCP make it: no name of a key, for the issuer. */
const sdkAssertion = (claims: Record<string, unknown> = {}, by = own, header = {}) =>
  assertionOf(by, {
    header: { alg: 'RS256', 'x5t#S256': null, ...header },
    claims: { aud: issuer, ...claims },
  })
const proof = async (...parts: Parameters<typeof sdkAssertion>) =>
  asProof(await sdkAssertion(...parts))
const ofOther = '99999999-0000-4000-8000-000000000000'

type Answer = 'token' | number
type Row = [
  what: string,
  form: () => Promise<Record<string, string>> | Record<string, string>,
  on: Answer,
  off: Answer,
]

const rows: readonly Row[] = [
  ['the URL of the server in resource', () => ({ resource: url }), 'token', 9010010],
  ['this URL with an additional slash', () => ({ resource: `${url}/` }), 'token', 9010010],
  ['this URL with two additional slashes', () => ({ resource: `${url}//` }), 9010010, 9010010],
  ['another URL in resource', () => ({ resource: 'http://127.0.0.1:3002/mcp' }), 9010010, 9010010],
  ['a resource without a scope', () => ({ scope: '', resource: url }), 'token', 90014],
  [
    'an unknown resource without a scope',
    () => ({ scope: '', resource: 'http://a.example' }),
    500011,
    90014,
  ],
  [
    'a resource with a fragment, and no scope',
    () => ({ scope: '', resource: `${url}#x` }),
    90014,
    90014,
  ],
  ['an application ID, and no scope', () => ({ scope: '', resource: apiId }), 90014, 90014],
  ['neither scope nor resource', () => ({ scope: '' }), 90014, 90014],
  ['no client_id beside a secret', () => ({ client_id: '' }), 900144, 900144],
  [
    'no client_id beside an assertion',
    async () => ({ client_id: '', ...(await proof()) }),
    'token',
    900144,
  ],
  [
    'no client_id beside an assertion of another issuer',
    async () => ({ client_id: '', ...(await proof({ iss: 'https://issuer.test' })) }),
    900144,
    900144,
  ],
  [
    'no client_id beside an assertion of an unknown client',
    async () => ({ client_id: '', ...(await proof({ iss: ofOther, sub: ofOther })) }),
    700016,
    900144,
  ],
  ['no client_id beside a text', () => ({ client_id: '', ...asProof('a.b.c') }), 900144, 900144],
  ['an assertion that names no key', () => proof(), 'token', 5002723],
  ['an assertion that the older certificate signed', () => proof({}, another), 'token', 5002723],
  [
    'an assertion that another key signed',
    async () => proof({}, { ...own, privateKey: (await clientCertificate(7)).privateKey }),
    700027,
    5002723,
  ],
  ['an assertion with ES256', () => proof({}, curved, { alg: 'ES256' }), 'token', 5002738],
  [
    'an assertion with ES256 that names its key',
    () => proof({}, curved, { alg: 'ES256', 'x5t#S256': curved.credential.sha256Thumbprint }),
    'token',
    5002738,
  ],
  [
    'an assertion with ES256 that names an RSA key',
    () => proof({}, curved, { alg: 'ES256', 'x5t#S256': own.credential.sha256Thumbprint }),
    5002738,
    5002738,
  ],
  [
    'an assertion with RS256 that names a P-256 key',
    () => proof({}, own, { 'x5t#S256': curved.credential.sha256Thumbprint }),
    5002738,
    5002738,
  ],
  [
    'an assertion for another audience',
    () => proof({ aud: 'https://other.test' }),
    5002723,
    5002723,
  ],
  ['an assertion that has expired', () => proof({ exp: 1, nbf: 0 }), 700024, 5002723],
  ['an assertion that names an unknown key', () => proof({}, own, { kid: 'x' }), 700027, 700027],
]

async function answer(service: TestService, form: Record<string, string>) {
  const body = await (await service.token(service.form(form))).json()
  return { code: body.error_codes?.[0] ?? 'token', token: body.access_token }
}

describe('MCP_CLIENTS', () => {
  for (const [what, form, on, off] of rows)
    it(`${what}: the response is ${on}, and ${off} when it is off`, async () => {
      assert.equal((await answer(services.on, await form())).code, on)
      assert.equal((await answer(services.off, await form())).code, off)
    })

  it('for a resource without a scope, issues the audience and all roles that a scope would give', async () => {
    const { token } = await answer(services.on, { scope: '', resource: url })
    const { aud, roles } = decodeJwt<{ roles?: string[] }>(token)
    assert.equal(aud, uri)
    assert.deepEqual(roles, ['CallHiApiRole', 'CallHelloApiRole'])
  })

  it('accepts each SDK request once without client_id, scope and key ID', async () => {
    const form = { client_id: '', scope: '', resource: url, ...(await proof()) }
    assert.equal((await answer(services.once, form)).code, 'token')
    assert.equal((await answer(services.once, form)).code, 700027)
  })

  it('tries at most ten certificates of a client', async () => {
    const crowded = await testService({ acceptsMcpClients: true })
    const many = Array.from({ length: 10 }, (_, index) => ({
      ...another.credential,
      keyId: `00000000-0000-4000-8000-00000000000${index}`,
      startDateTime: new Date(own.credential.startDateTime.getTime() + 1000),
    }))
    await changeClient(crowded, { keyCredentials: [...many, own.credential] })
    assert.equal((await answer(crowded, await proof())).code, 700027)
    await changeClient(crowded, { keyCredentials: [...many.slice(1), own.credential] })
    assert.equal((await answer(crowded, await proof())).code, 'token')
  })

  const discovery = `/${tenantId}/v2.0/.well-known/openid-configuration`
  const metadata = `/.well-known/oauth-authorization-server/${tenantId}/v2.0`
  const read = async (service: TestService, path: string) =>
    (await service.app.request(`http://login.test${path}`)).json()

  it('publishes the same complete document at both paths, with members that Entra ID lacks (RFC 8414, AS25)', async () => {
    const document = await read(services.on, metadata)
    assert.deepEqual(document, await read(services.on, discovery))
    const off = await read(services.off, discovery)
    const added = Object.entries(document).filter(([name]) => !(name in off))
    assert.deepEqual(Object.fromEntries(added), {
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_signing_alg_values_supported: [
        'RS256',
        'RS384',
        'RS512',
        'PS256',
        'ES256',
      ],
      greeting_mcp_clients: 'This server accepts requests of MCP clients that Entra refuses.',
    })
    assert.deepEqual({ ...document, ...off }, document)
  })

  it('publishes no document at the RFC 8414 path when it is off, nor for an unknown tenant', async () => {
    const path = 'http://login.test/.well-known/oauth-authorization-server'
    assert.equal((await services.off.app.request(`${path}/${tenantId}/v2.0`)).status, 404)
    assert.equal((await services.on.app.request(`${path}/unknown.example/v2.0`)).status, 400)
    assert.equal((await services.on.app.request(`${path}/${tenantId}`)).status, 404)
  })
})
