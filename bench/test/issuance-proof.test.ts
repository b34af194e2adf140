import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { accessToken } from '../harness/access-token.ts'
import { proofOfIssuance } from '../harness/issuance-proof.ts'
import { keySetOf } from '../harness/key-set-server.ts'
import { createScene } from '../harness/scene.ts'

const scene = createScene()
const sameToken = accessToken(scene)
const unpublished = { ...scene.stranger, kid: 'published-nowhere' }
const secret = 'right'

/** What some authorization servers answer to a form. */
const issuers: Readonly<Record<string, (form: URLSearchParams) => string | undefined>> = {
  '/good': (form) => (form.get('client_secret') === secret ? accessToken(scene) : undefined),
  '/careless': () => sameToken,
  '/forging': (form) =>
    form.get('client_secret') === secret ? accessToken(scene, {}, scene.stranger) : undefined,
  '/unpublished': (form) =>
    form.get('client_secret') === secret ? accessToken(scene, {}, unpublished) : undefined,
  '/closed': () => undefined,
}

describe('the proof that a row issues tokens', () => {
  const server = createServer(async (request, response) => {
    if (request.url === '/keys') return response.end(keySetOf(scene))
    const chunks: string[] = []
    for await (const chunk of request) chunks.push(String(chunk))
    const token = issuers[request.url ?? '']?.(new URLSearchParams(chunks.join('')))
    response.writeHead(token === undefined ? 401 : 200)
    return response.end(JSON.stringify({ access_token: token }))
  })
  let origin = ''

  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const rows: readonly [string, string, string[]][] = [
    ['/good', 'finds nothing in a server that checks and signs', []],
    [
      '/careless',
      'finds that any secret will do and that nothing is signed anew',
      ['the same token is given twice', 'a wrong secret is taken'],
    ],
    [
      '/forging',
      'finds a signature that no published key made',
      ['a token is not RS256 under a published key of 2048 bits'],
    ],
    [
      '/unpublished',
      'finds a key id that is published nowhere',
      ['a token is not RS256 under a published key of 2048 bits'],
    ],
    ['/closed', 'finds that nobody gets a token', ['the right secret is refused']],
  ]
  for (const [path, name, expected] of rows) {
    it(name, async () => {
      const faults = await proofOfIssuance({
        tokenEndpoint: `${origin}${path}`,
        keySetUrl: `${origin}/keys`,
        form: { grant_type: 'client_credentials', client_secret: secret },
        pid: 0,
        stop: () => Promise.resolve(),
      })
      assert.deepEqual(faults, expected)
    })
  }
})
