import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { assertGenerated } from '../../../test/fixtures/generated-files.ts'
import { apiApplicationId, tenantId } from '../../../test/fixtures/signing-identity-provider.ts'
import type { Service } from '../src/service.ts'
import * as reference from './reference.ts'
import {
  ask,
  bearer,
  forwarded,
  type Headers,
  original,
  start,
  withIdentityProvider,
} from './running-authorizer.ts'

withIdentityProvider()

const forged: Headers = ['X-Caller-Roles', 'Orders.Read', 'X-Caller-Application-Id', 'me']

describe('an authorizer', () => {
  let service: Service
  let log: () => string
  before(async () => {
    ;({ service, log } = await start())
  })
  after(() => service.stop())

  const rows: readonly [
    request: string,
    roles: readonly string[] | undefined,
    status: number,
    error?: string,
  ][] = [
    ['GET /orders/7', ['Orders.Read'], 200],
    ['HEAD /orders/7', ['Orders.Read'], 200],
    ['GET /orders/7?page=2', ['Orders.Read'], 200],
    ['POST /orders', ['Orders.Write'], 200],
    ['GET /me', [], 200],
    ['GET /open', undefined, 200],
    ['GET /orders/7', undefined, 401, 'unauthorized'],
    ['GET /me', undefined, 401, 'unauthorized'],
    ['GET /orders/7', ['Orders.Write'], 403, 'access_denied'],
    ['GET /orders/7?access_token=x', ['Orders.Read'], 400, 'invalid_request'],
    ['GET /nothing', undefined, 401, 'unauthorized'],
    ['GET /nothing', ['Orders.Read'], 404, 'not_found'],
    ['GET /ORDERS/7', ['Orders.Read'], 404, 'not_found'],
    ['DELETE /orders', ['Orders.Write'], 405, 'method_not_allowed'],
    ['get /open', undefined, 400, 'invalid_request'],
    ['GET /open/../me', undefined, 400, 'invalid_request'],
    ['GET //open', undefined, 400, 'invalid_request'],
    ['GET /%6fpen', undefined, 400, 'invalid_request'],
    ['GET http://api.example/open', undefined, 400, 'invalid_request'],
  ]
  for (const [what, roles, status, error] of rows) {
    it(`responds to ${what} with ${roles ? `roles [${roles}]` : 'no token'}: ${status}`, async () => {
      const [method = '', uri = ''] = what.split(' ')
      const headers = [...original(method, uri), ...(roles ? await bearer(roles) : []), ...forged]
      const answer = await ask(service.url, headers)
      assert.equal(answer.status, status)
      assert.equal(answer.headers['cache-control'], 'no-store')
      if (error === undefined) assert.equal(answer.body, '')
      else assert.equal(JSON.parse(answer.body).error, error)
      // Nginx asks again for a refusal, and must not get an admission there.
      const again = await ask(service.url, headers, { path: '/refusal' })
      assert.equal(again.status, status === 200 ? 503 : status)
      assert.equal(JSON.parse(again.body).error, error ?? 'temporarily_unavailable')
      if (status === 200) assert.equal(again.headers['retry-after'], '1')
    })
  }

  it('sends the caller of an admitted request, but empty headers for a public one', async () => {
    const names = ['application-id', 'tenant-id', 'object-id', 'roles']
    const callerOf = async (headers: Headers) => {
      const answer = await ask(service.url, headers)
      return names.map((name) => answer.headers[`x-caller-${name}`])
    }
    const token = await bearer(['Orders.Read', 'Orders.Write', 'Other'])
    assert.deepEqual(await callerOf([...original('GET', '/orders/7'), ...token, ...forged]), [
      '6a8b4b39-1111-4222-8333-c0ffee000002',
      tenantId,
      '0b7c1d2e-aaaa-4bbb-8ccc-c0ffee000003',
      'Orders.Read,Orders.Write',
    ])
    const open = [...original('GET', '/open'), ...token, ...forged]
    assert.deepEqual(await callerOf(open), ['', '', '', ''])
  })

  it("responds with the guard's challenge, and names the methods of a path", async () => {
    const { headers } = await ask(service.url, original('GET', '/me'))
    const scope = `api://${apiApplicationId}/.default`
    assert.equal(headers['www-authenticate'], `Bearer realm="api", scope="${scope}"`)
    const token = await bearer(['Orders.Read'])
    const wrong = await ask(service.url, [...original('DELETE', '/orders/7'), ...token])
    assert.equal(wrong.headers.allow, 'GET, HEAD')
    const other = await ask(service.url, [...original('DELETE', '/orders'), ...token])
    assert.equal(other.headers.allow, 'POST')
  })

  const malformed: readonly [what: string, headers: Headers][] = [
    ['no original request', []],
    ['no method', ['X-Original-URI', '/open']],
    ['no path', ['X-Original-Method', 'GET']],
    ['an empty path', original('GET', '')],
    ['a repeated path', [...original('GET', '/open'), 'X-Original-URI', '/open']],
    ['a repeated method', [...original('GET', '/open'), 'x-original-method', 'GET']],
    ["another proxy's fields", forwarded('GET', '/open')],
    ['an invalid method name', original('GET /open', '/open')],
    ['a disguised header', [...original('GET', '/open'), 'X_Caller_Roles', 'Admin']],
    [
      'a disguised header among others',
      ['A', '1', ...original('GET', '/open'), 'X_Caller_Roles', 'Admin'],
    ],
    ['a partly disguised header', [...original('GET', '/open'), 'x-caller_roles', 'Admin']],
    ['two tokens', [...original('GET', '/me'), 'Authorization', 'Bearer a', 'Authorization', 'b']],
  ]
  for (const [what, headers] of malformed) {
    it(`refuses ${what} with 400`, async () => {
      const { status, body } = await ask(service.url, headers)
      assert.equal(status, 400)
      assert.equal(JSON.parse(body).error, 'invalid_request')
    })
  }

  it('admits a header with an underscore that is not a caller header', async () => {
    const headers = [...original('GET', '/open'), 'X_Request_Id', '1']
    assert.equal((await ask(service.url, headers)).status, 200)
  })

  it('ignores the fields of other proxies, which a client may send', async () => {
    const headers = [...original('GET', '/me'), ...forwarded('GET', '/open')]
    assert.equal((await ask(service.url, headers)).status, 401)
  })

  it('handles an upgrade like any other request, and reads no body', async () => {
    const upgrade = ['Connection', 'Upgrade', 'Upgrade', 'websocket']
    assert.equal((await ask(service.url, [...original('GET', '/me'), ...upgrade])).status, 401)
    const announced = ['Content-Length', '1000000']
    const { hostname, port } = new URL(service.url)
    const headers = ['host', 'a', ...original('POST', '/orders'), ...announced]
    const sent = request({ hostname, port, path: '/authorize', headers, agent: false })
    sent.on('error', () => {})
    sent.flushHeaders()
    const [response] = await once(sent, 'response')
    assert.equal(response.statusCode, 401)
    sent.destroy()
  })

  it('serves health checks on separate paths, and 404 on others', async () => {
    const { body, headers } = await ask(service.url, [], { path: '/healthz' })
    assert.equal(body, '{"status":"alive"}')
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal((await ask(service.url, [], { path: '/readyz' })).status, 200)
    for (const path of ['/', '/authorize/', '/authorize?x', '/metrics', '/healthz/'])
      assert.match((await ask(service.url, original('GET', '/open'), { path })).body, /"not_found"/)
  })

  it('counts decisions and refusals, and writes no token to its log', async () => {
    const { body } = await ask(service.metricsUrl ?? '', [], { path: '/metrics' })
    assert.match(body, /greeting_guard_decisions_total\{outcome="admitted",reason=""\} [1-9]/)
    assert.match(body, /greeting_authorizer_refusals_total\{reason="path_ambiguous"\} [1-9]/)
    assert.match(body, /greeting_authorizer_rules 4\n/)
    assert.match(body, /greeting_guard_keys\{.*\} 1\n/)
    assert.match(body, /greeting_guard_remembered_tokens [1-9]/)
    assert.match(body, /http_route="\/authorize"/)
    assert.match(log(), /"reason":"role_missing"/)
    assert.doesNotMatch(log(), /eyJ/)
  })
})

it('an authorizer traces decisions and the request for keys', async () => {
  const used: unknown[] = []
  const nothing = () => undefined
  const { service } = await start(
    {},
    {
      tracing: {
        run: (_, work) => work({ rename: nothing, annotate: nothing, fail: nothing }),
        annotate: (attributes) => used.push(attributes),
        logFields: () => ({}),
        traceFetch: (wrapped) => {
          used.push('trace')
          return wrapped
        },
        stop: async () => undefined,
      },
    },
  )
  const token = await bearer(['Orders.Read'])
  assert.equal((await ask(service.url, [...original('GET', '/orders/7'), ...token])).status, 200)
  assert.deepEqual(used, [
    'trace',
    { 'greeting.decision': 'admitted', 'greeting.remembered': false },
  ])
  await service.stop()
})

describe('the original request comes', () => {
  for (const [proxy, headers] of [
    ['nginx', original],
    ['haproxy', original],
    ['traefik', forwarded],
    ['caddy', forwarded],
  ] as const) {
    it(`from the headers of ${proxy}`, async () => {
      const { service } = await start({ PROXY: proxy })
      const token = await bearer(['Orders.Write'])
      const answer = await ask(service.url, [...headers('POST', '/orders'), ...token])
      assert.equal(answer.status, 200)
      assert.equal((await ask(service.url, headers('GET', '/open'))).status, 200)
      await service.stop()
    })
  }

  it('from the request itself with envoy, below the prefix', async () => {
    const { service } = await start({ PROXY: 'envoy' })
    const askEnvoy = async (method: string, path: string, headers: Headers = []) =>
      (await ask(service.url, headers, { method, path: `/authorize${path}` })).status
    const token = await bearer(['Orders.Write'])
    assert.equal(await askEnvoy('POST', '/orders', token), 200)
    assert.equal(await askEnvoy('GET', '/open'), 200)
    assert.equal(await askEnvoy('GET', '/me', forwarded('GET', '/open')), 401)
    assert.equal(await askEnvoy('GET', '/me', original('GET', '/open')), 400)
    assert.equal(await askEnvoy('GET', '/../healthz'), 400)
    assert.equal(await askEnvoy('GET', '//open'), 400)
    assert.equal(await askEnvoy('GET', ''), 404)
    await service.stop()
  })
})

describe('a peer that is not a trusted proxy', () => {
  it('is refused with 403, logged once, and counted', async () => {
    const { service, log } = await start({ TRUSTED_PROXIES: '192.0.2.1, 198.51.100.0/24' })
    for (const _ of [1, 2]) {
      const { status, body } = await ask(service.url, original('GET', '/open'))
      assert.equal(status, 403)
      assert.equal(JSON.parse(body).error, 'access_denied')
    }
    assert.equal(log().match(/"peer":"127.0.0.1"/g)?.length, 1)
    const { body } = await ask(service.metricsUrl ?? '', [], { path: '/metrics' })
    assert.match(body, /refusals_total\{reason="peer_not_trusted"\} 2/)
    await service.stop()
  })
})

it('docs/reference/authorizer.md lists the settings and metrics in the code', () => {
  assertGenerated(reference)
})
