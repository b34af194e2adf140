import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { compactVerify, decodeJwt, importJWK } from 'jose'
import { accessToken, createFixture, type Fixture } from '../peers/fixture.ts'
import { proveGuarded, proveIssuance, proveOpen } from '../peers/proofs.ts'

let fixture: Fixture
before(async () => {
  fixture = await createFixture()
})

/** A server of the tests of a block. */
function server(listener: RequestListener): () => string {
  const server = createServer(listener)
  let origin = ''
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return () => origin
}

/** The parts of a token that a guard of the fixture must refuse. */
async function flawsOf(token: string): Promise<string> {
  const claims = decodeJwt(token)
  const key = await importJWK(fixture.signer.jwk, 'RS256')
  const checks = {
    signature: await compactVerify(token, key).then(Boolean, () => false),
    exp: Number(claims.exp) > Date.now() / 1000,
    aud: claims.aud === fixture.audience,
    iss: claims.iss === fixture.issuer,
    roles: JSON.stringify(claims.roles).includes(fixture.role),
  }
  const failed = Object.entries(checks).filter(([, passes]) => !passes)
  return failed.map(([name]) => name).join()
}

describe('the check of a guarded row', () => {
  const sent: string[] = []
  /** Answers of servers whose rows must not count. */
  const answers: Readonly<Record<string, RequestListener>> = {
    '/lets-anybody-in': ({ headers: { authorization } }, response) => {
      if (authorization !== undefined) sent.push(authorization.slice('Bearer '.length))
      response.end('Hi')
    },
    '/refuses-all': (_request, response) => response.writeHead(401).end(),
    '/breaks': (_request, response) => response.writeHead(500).end(),
  }
  const origin = server((request, response) => answers[request.url ?? '']?.(request, response))

  it('reports every invalid token that was accepted', async () => {
    assert.deepEqual(await proveGuarded(`${origin()}/lets-anybody-in`, fixture), [
      'no token got 200',
      'a token with a changed signature got 200',
      'a token with an unknown key got 200',
      'an expired token got 200',
      'a token for another audience got 200',
      'a token of another issuer got 200',
      'a token without the role got 200',
    ])
  })

  it('sends tokens that differ from the valid token in one part each', async () => {
    sent.length = 0
    await proveGuarded(`${origin()}/lets-anybody-in`, fixture)
    const flaws = await Promise.all(sent.map(flawsOf))
    assert.deepEqual(flaws, ['', 'signature', 'signature', 'exp', 'aud', 'iss', 'roles'])
  })

  it('requires that the valid token is accepted', async () => {
    const failures = await proveGuarded(`${origin()}/refuses-all`, fixture)
    assert.deepEqual(failures, ['a valid token got 401'])
  })

  it('does not treat a server error as a refusal', async () => {
    assert.equal((await proveGuarded(`${origin()}/breaks`, fixture)).length, 8)
  })

  it('requires that an open row needs no token', async () => {
    assert.deepEqual(await proveOpen(`${origin()}/lets-anybody-in`), [])
    assert.deepEqual(await proveOpen(`${origin()}/refuses-all`), ['the open route answered 401'])
  })
})

describe('the check of a token-issuing row', () => {
  const secret = 'right'
  let sameToken: Promise<string>
  /** The token of each authorization server, for the right secret or for any. */
  const tokens: Readonly<Record<string, (isRight: boolean) => Promise<string> | undefined>> = {
    '/good': (isRight) => (isRight ? accessToken(fixture) : undefined),
    '/careless': () => {
      sameToken ??= accessToken(fixture)
      return sameToken
    },
    '/forging': (isRight) => (isRight ? accessToken(fixture, {}, fixture.forger) : undefined),
    '/unpublished': (isRight) =>
      isRight
        ? fixture.forger.token({ uti: randomUUID() }, { kid: 'published-nowhere' })
        : undefined,
  }
  const origin = server(async (request, response) => {
    if (request.url === '/keys')
      return response.end(JSON.stringify({ keys: fixture.published.map(({ jwk }) => jwk) }))
    const form = new URLSearchParams((await request.toArray()).join(''))
    const token = await tokens[request.url ?? '']?.(form.get('client_secret') === secret)
    response.writeHead(token === undefined ? 401 : 200)
    return response.end(JSON.stringify({ access_token: token }))
  })

  const unsigned = 'a token is not RS256 under a published key of 2048 bits'
  const rows: readonly [string, string, string[]][] = [
    ['/good', 'accepts a server that checks and signs', []],
    [
      '/careless',
      'detects a server that accepts any secret and signs only once',
      ['the same token is issued twice', 'a wrong secret is accepted'],
    ],
    ['/forging', 'detects a signature of an unpublished key', [unsigned]],
    ['/unpublished', 'detects an unpublished key ID', [unsigned]],
    ['/closed', 'detects a server that issues no token', ['the right secret is refused']],
  ]
  for (const [path, name, expected] of rows) {
    it(name, async () => {
      const failures = await proveIssuance({
        tokenEndpoint: `${origin()}${path}`,
        keySetUrl: `${origin()}/keys`,
        form: { grant_type: 'client_credentials', client_secret: secret },
      })
      assert.deepEqual(failures, expected)
    })
  }
})
