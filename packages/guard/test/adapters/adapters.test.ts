import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createGuard } from '../../src/index.ts'
import { VirtualRuntime } from '../fakes/virtual-runtime.ts'
import { clientApplicationId, keySetOf, optionsWith, TokenFactory } from '../token-factory.ts'
import { call } from './call.ts'
import { type Running, servers } from './servers.ts'

const forge = new TokenFactory('key-1')
const attacker = new TokenFactory('key-1')

const bearer = (token: string) => ['authorization', `Bearer ${token}`]
const both = () => bearer(forge.token())
const hiOnly = () => bearer(forge.token({ roles: ['CallHiApiRole'] }))
const none = () => []

const origin = 'https://app.example'
const preflight = ['origin', origin, 'access-control-request-method', 'GET']
/** Paths that exist, and paths that do not. */
const anyPaths = ['/hi', '/whoami', '/hi/', '/bye', '', '/', '/HI', '//hi', '/hi%2F']

type Row = [
  name: string,
  method: string,
  path: string,
  fields: () => readonly string[],
  status: number,
  body: string | RegExp,
]

const rows: Row[] = [
  ['to a caller with the role', 'GET', '/hi', both, 200, 'Hi'],
  ['to the same token from the cache', 'GET', '/hi', both, 200, 'Hi'],
  ['from a handler that receives its caller', 'GET', '/whoami', hiOnly, 200, clientApplicationId],
  ['to HEAD without a body', 'HEAD', '/hi', both, 200, ''],
  ['to HEAD without a token', 'HEAD', '/hi', none, 401, ''],
  [
    'to a caller without the role',
    'GET',
    '/hello',
    hiOnly,
    403,
    '{"error":"access_denied","error_description":"Access is denied"}',
  ],
  ['to a request without credentials', 'GET', '/hi', none, 401, /"error":"unauthorized"/],
  [
    'to another scheme',
    'GET',
    '/hi',
    () => ['authorization', 'Basic eA=='],
    401,
    /"error":"unauthorized"/,
  ],
  ['to a bad token', 'GET', '/hi', () => bearer(attacker.token()), 401, /"error":"invalid_token"/],
  [
    'to several spaces before the token',
    'GET',
    '/hi',
    () => both().map((text) => text.replace('Bearer ', 'Bearer   ')),
    200,
    'Hi',
  ],
  [
    'to two words as a token',
    'GET',
    '/hi',
    () => ['authorization', 'Bearer a b'],
    400,
    /"error":"invalid_request"/,
  ],
  [
    'to two Authorization fields',
    'GET',
    '/hi',
    () => [...both(), ...both()],
    400,
    /"error":"invalid_request"/,
  ],
  [
    'to a second scheme after the first',
    'GET',
    '/hi',
    () => ['authorization', 'Basic eA==', ...both()],
    400,
    /"error":"invalid_request"/,
  ],
  ['to a token in the query', 'GET', '/hi?access_token=x', both, 400, /"error":"invalid_request"/],
  ['to another path without a token', 'GET', '/bye', none, 401, /"error":"unauthorized"/],
  ['to another path', 'GET', '/bye', hiOnly, 404, /"error":"not_found"/],
  ['to the prefix itself without a token', 'GET', '', none, 401, /"error":"unauthorized"/],
  ['to the prefix itself', 'GET', '', hiOnly, 404, /"error":"not_found"/],
  ['to the prefix and a slash without a token', 'GET', '/', none, 401, /"error":"unauthorized"/],
  ['to the prefix and a slash', 'GET', '/', hiOnly, 404, /"error":"not_found"/],
  ['to a trailing slash', 'GET', '/hi/', both, 404, /"error":"not_found"/],
  ['to a doubled slash', 'GET', '//hi', both, 404, /"error":"not_found"/],
  ['to an encoded slash', 'GET', '/hi%2F', both, 404, /"error":"not_found"/],
  ['to another case', 'GET', '/HI', both, 404, /"error":"not_found"/],
  ['to another case without a token', 'GET', '/HI', none, 401, /"error":"unauthorized"/],
  ['to another method without a token', 'POST', '/hi', none, 401, /"error":"unauthorized"/],
  ['to another method', 'POST', '/hi', hiOnly, 405, /"error":"method_not_allowed"/],
  ['to OPTIONS without a token', 'OPTIONS', '/hi', none, 401, /"error":"unauthorized"/],
  ['to OPTIONS', 'OPTIONS', '/hi', hiOnly, 405, /"error":"method_not_allowed"/],
  ['to OPTIONS for another path', 'OPTIONS', '/bye', hiOnly, 404, /"error":"not_found"/],
  ['to another method at another path', 'POST', '/bye', hiOnly, 404, /"error":"not_found"/],
]

for (const [adapter, start] of Object.entries(servers)) {
  describe(`the adapter for ${adapter}`, () => {
    let running: Running
    const guard = createGuard(optionsWith(), new VirtualRuntime(keySetOf(forge)))
    before(async () => {
      running = await start(guard)
    })
    after(() => running.stop())

    for (const [name, method, path, fields, status, body] of rows) {
      it(`responds with ${status} ${name}`, async () => {
        const answer = await call(running.url, `/api/v1${path}`, method, fields())
        assert.equal(answer.status, status, answer.body)
        if (typeof body === 'string') assert.equal(answer.body, body)
        else assert.match(answer.body, body)
        if (status === 200) return
        assert.equal(answer.headers['content-type']?.split(';', 1)[0], 'application/json')
        assert.equal(answer.headers['cache-control'], 'no-store')
        assert.equal('www-authenticate' in answer.headers, status < 404)
        if (status === 405) assert.equal(answer.headers.allow, 'GET, HEAD')
      })
    }

    it('does not let an encoded letter in the path bypass the guard (RS20)', async () => {
      for (const path of ['/api/v1/h%69', '/%61pi/v1/hi', '/api/v1/./hi', '/x/../api/v1/hi']) {
        const answer = await call(running.url, path, 'GET', none())
        assert.ok(answer.status === 401 || answer.status === 404, `${path}: ${answer.status}`)
      }
    })

    const preflights: [name: string, sent: readonly string[], corsOrigin: string | undefined][] = [
      ['a preflight', preflight, undefined],
      ['OPTIONS without a token', [], undefined],
      ['OPTIONS with a bad token', bearer(attacker.token()), undefined],
      ['a preflight with CORS middleware before the guard', preflight, origin],
    ]
    for (const [name, sent, corsOrigin] of preflights) {
      it(`gives ${name} the same response at existing and unknown paths (RS20)`, async () => {
        const server = await start(guard, corsOrigin)
        const answers = await Promise.all(
          anyPaths.map(async (path) => {
            const { headers, ...rest } = await call(server.url, `/api/v1${path}`, 'OPTIONS', sent)
            return { ...rest, headers: { ...headers, date: '' } }
          }),
        )
        await server.stop()
        for (const answer of answers) assert.deepEqual(answer, answers[0])
        const [{ status, headers } = assert.fail()] = answers
        assert.equal(status, corsOrigin === undefined ? 401 : 204)
        assert.equal(headers['access-control-allow-origin'], corsOrigin)
        assert.equal('allow' in headers, false)
      })
    }

    it('lets a page read each response if CORS middleware is before the guard', async () => {
      const server = await start(guard, origin)
      const rows = [
        ['/hi', none(), 401],
        ['/hello', hiOnly(), 403],
        ['/bye', hiOnly(), 404],
        ['/hi', both(), 200],
      ] as const
      for (const [path, fields, status] of rows) {
        const sent = ['origin', origin, ...fields]
        const answer = await call(server.url, `/api/v1${path}`, 'GET', sent)
        assert.deepEqual(
          [answer.status, answer.headers['access-control-allow-origin']],
          [status, origin],
        )
      }
      await server.stop()
    })

    it('leaves paths outside the prefix open', async () => {
      assert.equal((await call(running.url, '/', 'GET', [])).body, 'open')
      assert.equal((await call(running.url, '/api/v1x', 'GET', [])).status, 404)
    })

    it('responds with 503 and retry-after while there are no keys', async () => {
      const blind = createGuard(
        optionsWith(),
        new VirtualRuntime(() => new Response('', { status: 500 })),
      )
      const server = await start(blind)
      const answer = await call(server.url, '/api/v1/hi', 'GET', both())
      await server.stop()
      assert.equal(answer.status, 503)
      assert.equal(answer.headers['retry-after'], '1')
      assert.match(answer.body, /"error":"temporarily_unavailable"/)
    })
  })
}
