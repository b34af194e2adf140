import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { rsaKeyPair } from '../../fixtures/rsa-key-pair.ts'
import { accessToken, createFixture, keySetOf } from '../peers/fixture.ts'
import { proveGuarded, proveIssuance, proveOpen } from '../peers/proofs.ts'

const fixture = createFixture(() => rsaKeyPair().privateKey)

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function close(server: Server): void {
  server.closeAllConnections()
  server.close()
}

const publicKey = createPublicKey(fixture.keys[0].privateKey)

/** The parts of a token that a guard of the fixture must refuse. */
function flawsOf(token: string, now: number): string {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const input = Buffer.from(`${header}.${payload}`)
  const checks = {
    signature: verify('sha256', input, publicKey, Buffer.from(signature, 'base64url')),
    exp: claims.exp > now,
    aud: claims.aud === fixture.audience,
    iss: claims.iss === fixture.issuer,
    roles: claims.roles.includes(fixture.role),
  }
  return Object.entries(checks)
    .filter(([, passes]) => !passes)
    .map(([name]) => name)
    .join()
}

/** Answers of three servers whose rows must not count. */
const faultyServers: Readonly<Record<string, RequestListener>> = {
  '/lets-anybody-in': (_request, response) => response.end('Hi'),
  '/refuses-all': (_request, response) => response.writeHead(401).end(),
  '/breaks': (_request, response) => response.writeHead(500).end(),
}

describe('the check that a row is guarded', () => {
  const server = createServer((request, response) =>
    faultyServers[request.url ?? '']?.(request, response),
  )
  let origin = ''
  before(async () => {
    origin = await listen(server)
  })
  after(() => close(server))

  it('reports every invalid token that was accepted', async () => {
    assert.deepEqual(await proveGuarded(`${origin}/lets-anybody-in`, fixture), [
      'no token got 200',
      'a token with a changed signature got 200',
      'a token with an unknown key got 200',
      'an expired token got 200',
      'a token for another audience got 200',
      'a token of another issuer got 200',
      'a token without the role got 200',
    ])
  })

  it('sends tokens that each differ from the valid one in one part', async () => {
    const now = Date.now() / 1000
    const sent: string[] = []
    const observer = createServer(({ headers: { authorization } }, response) => {
      if (authorization !== undefined)
        sent.push(flawsOf(authorization.slice('Bearer '.length), now))
      response.end('Hi')
    })
    await proveGuarded(await listen(observer), fixture)
    close(observer)
    assert.deepEqual(sent, ['', 'signature', 'signature', 'exp', 'aud', 'iss', 'roles'])
  })

  it('requires that the valid token is accepted', async () => {
    const failures = await proveGuarded(`${origin}/refuses-all`, fixture)
    assert.deepEqual(failures, ['a valid token got 401'])
  })

  it('does not accept a server error as a refusal', async () => {
    const failures = await proveGuarded(`${origin}/breaks`, fixture)
    assert.equal(failures.length, 8)
  })

  it('requires that an open row needs no token', async () => {
    assert.deepEqual(await proveOpen(`${origin}/lets-anybody-in`), [])
    assert.deepEqual(await proveOpen(`${origin}/refuses-all`), ['the open route answered 401'])
  })
})

const sameToken = accessToken(fixture)
const unpublished = { ...fixture.forgedKey, kid: 'published-nowhere' }
const secret = 'right'

/** The token that each authorization server issues for a form. */
const issuers: Readonly<Record<string, (form: URLSearchParams) => string | undefined>> = {
  '/good': (form) => (form.get('client_secret') === secret ? accessToken(fixture) : undefined),
  '/careless': () => sameToken,
  '/forging': (form) =>
    form.get('client_secret') === secret ? accessToken(fixture, {}, fixture.forgedKey) : undefined,
  '/unpublished': (form) =>
    form.get('client_secret') === secret ? accessToken(fixture, {}, unpublished) : undefined,
  '/closed': () => undefined,
}

describe('the check that a row issues tokens', () => {
  const server = createServer(async (request, response) => {
    if (request.url === '/keys') return response.end(keySetOf(fixture))
    const chunks: string[] = []
    for await (const chunk of request) chunks.push(String(chunk))
    const token = issuers[request.url ?? '']?.(new URLSearchParams(chunks.join('')))
    response.writeHead(token === undefined ? 401 : 200)
    return response.end(JSON.stringify({ access_token: token }))
  })
  let origin = ''
  before(async () => {
    origin = await listen(server)
  })
  after(() => close(server))

  const rows: readonly [string, string, string[]][] = [
    ['/good', 'accepts a server that checks and signs', []],
    [
      '/careless',
      'detects a server that accepts any secret and signs only once',
      ['the same token is issued twice', 'a wrong secret is accepted'],
    ],
    [
      '/forging',
      'detects a signature of an unpublished key',
      ['a token is not RS256 under a published key of 2048 bits'],
    ],
    [
      '/unpublished',
      'detects an unpublished key ID',
      ['a token is not RS256 under a published key of 2048 bits'],
    ],
    ['/closed', 'detects a server that issues no token', ['the right secret is refused']],
  ]
  for (const [path, name, expected] of rows) {
    it(name, async () => {
      const failures = await proveIssuance({
        tokenEndpoint: `${origin}${path}`,
        keySetUrl: `${origin}/keys`,
        form: { grant_type: 'client_credentials', client_secret: secret },
      })
      assert.deepEqual(failures, expected)
    })
  }
})
