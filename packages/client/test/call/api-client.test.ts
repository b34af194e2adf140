import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApiClient } from '../../src/call/api-client.ts'
import { isClientFailure } from '../../src/errors.ts'
import { type Answer, json, noConnection, text, VirtualRuntime } from '../fakes/virtual-runtime.ts'

const tokens = { token: async () => 'a.b.canary', drop: () => undefined }

const clientIn = (environment: VirtualRuntime) =>
  createApiClient({
    baseUrl: 'https://api.example/base',
    tokens,
    deadlineMs: 1,
    runtime: environment.runtime,
  })

describe('an API client', () => {
  for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const)
    it(`${method} sends the token, and resolves with JSON`, async () => {
      const environment = new VirtualRuntime(json(200, [{ id: 1 }]))
      assert.deepEqual(await clientIn(environment)[method]('/orders').json(), [{ id: 1 }])
      const [sent] = environment.sent
      assert.equal(sent?.method, method.toUpperCase())
      assert.equal(sent?.url, 'https://api.example/base/orders')
      assert.equal(sent?.headers.get('authorization'), 'Bearer a.b.canary')
      assert.equal(sent?.headers.get('accept'), 'application/json, */*;q=0.9')
    })

  it('sends JSON, unless the caller names another type', async () => {
    const environment = new VirtualRuntime(text(201, ''))
    await clientIn(environment).post('/orders', { json: { id: 1 } })
    const headers = { 'content-type': 'application/merge-patch+json', accept: 'text/csv' }
    await clientIn(environment).patch('/orders/1', { json: null, headers })
    const types = environment.sent.map((sent) => sent.headers.get('content-type'))
    assert.deepEqual(types, ['application/json', 'application/merge-patch+json'])
    assert.equal(environment.sent[1]?.headers.get('accept'), 'text/csv')
  })

  it('sends the request even if neither json() nor text() is called', async () => {
    const environment = new VirtualRuntime(() => new Response(null, { status: 204 }))
    const { status, body } = await clientIn(environment).delete('/orders/1')
    assert.deepEqual([status, body, environment.sent.length], [204, '', 1])
  })

  it('resolves with the status, the headers and the text', async () => {
    const answer = clientIn(new VirtualRuntime(text(200, 'a;b', { etag: '"1"' }))).get('/orders')
    assert.equal((await answer).headers.get('etag'), '"1"')
    assert.equal(await answer.text(), 'a;b')
  })

  it('sends any method with request()', async () => {
    const environment = new VirtualRuntime(text(200, ''))
    await clientIn(environment).request('options', '/orders')
    assert.equal(environment.sent[0]?.method, 'OPTIONS')
  })

  it('lists invalid options, and refuses a URL with another origin', async () => {
    assert.throws(() => createApiClient({ baseUrl: 'http://a.example', tokens }), /`baseUrl` must/)
    const environment = new VirtualRuntime(text(200, ''))
    await assert.rejects(clientIn(environment).get('https://evil.example/'), TypeError)
    assert.equal(environment.sent.length, 0)
  })
})

const problem = (status: number, body: unknown) => json(status, body)
const at = 'GET https://api.example/base/orders'

type Row = readonly [what: string, answer: Answer, code: string, message: string, remedy: RegExp]
const rows: readonly Row[] = [
  [
    '403',
    json(403, {}),
    'role_missing',
    'The client is not allowed to do this: it lacks an application role that the API requires',
    /admin consent/,
  ],
  [
    '404 with an OAuth error',
    problem(404, { error: 'not_found', error_description: 'There is nothing at this path' }),
    'request_refused',
    `The API refused ${at} (HTTP status 404): There is nothing at this path`,
    /Check the path, and whether the base URL/,
  ],
  [
    '409 with problem details',
    problem(409, { title: 'Conflict', detail: 'Order 1\nexists' }),
    'request_refused',
    `The API refused ${at} (HTTP status 409): Order 1 exists`,
    /Correct the request/,
  ],
  [
    '400 with other JSON',
    problem(400, { fault: 7 }),
    'request_refused',
    `The API refused ${at} (HTTP status 400): {"fault":7}`,
    /Correct the request/,
  ],
  [
    '400 that repeats the token',
    text(400, 'no a.b.canary'),
    'request_refused',
    `The API refused ${at} (HTTP status 400): no [redacted]`,
    /Correct the request/,
  ],
  [
    '404 with a page',
    text(404, '<h1>nginx</h1>', { 'content-type': 'text/html' }),
    'request_refused',
    `The API refused ${at} (HTTP status 404): it gives no reason`,
    /base URL/,
  ],
  [
    '405',
    text(405, ''),
    'request_refused',
    `The API refused ${at} (HTTP status 405): it gives no reason`,
    /Check the method/,
  ],
  [
    '431',
    text(431, ''),
    'request_refused',
    `The API refused ${at} (HTTP status 431): it gives no reason`,
    /too many roles/,
  ],
  [
    '500',
    problem(500, { message: 'boom' }),
    'api_answer_invalid',
    `The response of the API to ${at} cannot be used: it is an error (HTTP status 500): boom`,
    /log of the API/,
  ],
  [
    '503',
    text(503, ''),
    'api_unreachable',
    'The API could not answer (HTTP status 503)',
    /Check that the API runs/,
  ],
  [
    'a closed connection',
    noConnection,
    'api_unreachable',
    'The API could not be reached at https://api.example: 127.0.0.1:1: no program listens on this port (ECONNREFUSED)',
    /HTTPS_PROXY/,
  ],
  [
    '200 with a page',
    text(200, '<h1>', { 'content-type': 'text/html' }),
    'api_answer_invalid',
    `The response of the API to ${at} cannot be used: it is not JSON, but text/html (HTTP status 200)`,
    /no proxy answers/,
  ],
  [
    '204',
    () => new Response(null, { status: 204 }),
    'api_answer_invalid',
    `The response of the API to ${at} cannot be used: it has no body (HTTP status 204)`,
    /no proxy answers/,
  ],
  [
    'more than 10 MiB',
    text(200, 'x'.repeat(10_485_761)),
    'api_answer_invalid',
    `The response of the API to ${at} cannot be used: it is larger than 10485760 bytes`,
    /no proxy answers/,
  ],
]

describe('json() of an API client', () => {
  for (const [what, answer, code, message, remedy] of rows)
    it(`rejects with one line for ${what}`, async () => {
      const pending = clientIn(new VirtualRuntime(answer)).get('/orders?key=canary').json()
      await assert.rejects(pending, (error) => {
        assert.ok(isClientFailure(error))
        assert.equal(error.code, code)
        assert.equal(error.message, message)
        assert.match(error.remedy, remedy)
        assert.doesNotMatch(`${error}`, /\n|canary/)
        assert.equal(`${error}`, `${message}. ${error.remedy}`)
        return true
      })
    })

  const changes: readonly (readonly [number, string])[] = [
    [307, 'api_answer_invalid'],
    [429, 'api_unreachable'],
    [503, 'api_unreachable'],
  ]
  for (const [status, code] of changes)
    it(`rejects with one line for ${status} to a POST, which it sends only once`, async () => {
      const environment = new VirtualRuntime(text(status, '', { location: '/elsewhere' }))
      await assert.rejects(clientIn(environment).post('/orders', { json: 1 }), { code })
      assert.equal(environment.sent.length, 1)
    })
})
