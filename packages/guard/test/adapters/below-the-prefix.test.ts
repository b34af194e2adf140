import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fastify from 'fastify'
import { guardedRoutes } from '../../src/adapters/fastify.ts'
import { guardedApp } from '../../src/adapters/hono.ts'
import { createGuard } from '../../src/index.ts'
import { VirtualRuntime } from '../fakes/virtual-runtime.ts'
import { keySetOf, optionsWith, TokenFactory } from '../token-factory.ts'
import { appsWithOwnRoutes } from './apps-with-own-routes.ts'
import { call } from './call.ts'
import type { Running } from './servers.ts'

const forge = new TokenFactory('key-1')
const guard = createGuard(optionsWith(), new VirtualRuntime(keySetOf(forge)))
const withToken = () => ['authorization', `Bearer ${forge.token()}`]

const requests: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/api/v1/open'],
  ['HEAD', '/api/v1/open'],
  ['POST', '/api/v1/hi'],
  ['PROPFIND', '/api/v1/hi'],
  ['GET', '/api/v1/none'],
  ['GET', '/api/v1/'],
  ['GET', '/api/v1'],
]

for (const { adapter, name, start, alsoPaths = [] } of appsWithOwnRoutes) {
  describe(`${adapter}, with ${name}`, () => {
    let running: Running
    before(async () => {
      running = await start(guard)
    })
    after(() => running.stop())

    for (const [method, path] of [
      ...requests,
      ...alsoPaths.map((path) => ['GET', path] as const),
    ]) {
      it(`${method} ${path} gets 401, or 404 or 405 with a token (RS20)`, async () => {
        const refused = await call(running.url, path, method, [])
        assert.equal(refused.status, 401, refused.body)
        const told = await call(running.url, path, method, withToken())
        assert.ok(told.status === 404 || told.status === 405, `${told.status} ${told.body}`)
      })
    }

    it('the declared route is open to authenticated callers only (RS20)', async () => {
      assert.equal((await call(running.url, '/api/v1/hi', 'GET', [])).status, 401)
      assert.equal((await call(running.url, '/api/v1/hi', 'GET', withToken())).body, 'Hi')
    })
  })
}

describe('guardedApp with Hono', () => {
  it('answers a declared route immediately, without a promise', async () => {
    const app = guardedApp(guard, '/api/v1', {
      'GET /hi': { role: 'CallHiApiRole', handler: () => new Response('Hi') },
    })
    app.use(async (_, next) => next())
    const [name = '', value = ''] = withToken()
    const request = () => new Request('http://localhost/api/v1/hi', { headers: { [name]: value } })
    // The first request may wait for the keys.
    await app.fetch(request())
    const answer = app.fetch(request())
    assert.ok(answer instanceof Response)
    assert.equal(answer.status, 200)
  })
})

describe('guardedRoutes with Fastify', () => {
  it('fails at start if the app declares another method for a declared path (RS20)', async () => {
    const app = fastify()
    app.register(
      guardedRoutes(guard, '/api/v1', {
        'GET /hi': { role: 'CallHiApiRole', handler: () => 'Hi' },
      }),
    )
    app.post('/api/v1/hi', () => 'added')
    await assert.rejects(async () => void (await app.ready()), { code: 'FST_ERR_DUPLICATED_ROUTE' })
    await app.close()
  })

  it("works below another guard's prefix (RS20)", async () => {
    const app = fastify()
    const routes = { 'GET /hi': { role: 'CallHiApiRole', handler: () => 'Hi' } } as const
    app.register(guardedRoutes(guard, '/api', routes))
    app.register(guardedRoutes(guard, '/api/v2', routes))
    const [, authorization] = withToken()
    for (const url of ['/api/hi', '/api/v2/hi']) {
      assert.equal((await app.inject({ url, headers: { authorization } })).body, 'Hi')
      assert.equal((await app.inject({ url })).statusCode, 401)
    }
    await app.close()
  })
})
