import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify, { type FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import * as onExpress from '../../src/adapters/express.ts'
import * as onFastify from '../../src/adapters/fastify.ts'
import * as onHono from '../../src/adapters/hono.ts'
import * as onNode from '../../src/adapters/node.ts'
import * as onWeb from '../../src/adapters/web.ts'
import { anyCaller, createGuard, type Guard } from '../../src/index.ts'
import { VirtualRuntime } from '../fakes/virtual-runtime.ts'
import {
  clientApplicationId,
  keySetOf,
  optionsWith,
  type Role,
  TokenFactory,
} from '../token-factory.ts'
import { call } from './call.ts'
import { type Running, running, serve } from './servers.ts'

const forge = new TokenFactory('key-1')
const newGuard = () => createGuard(optionsWith(), new VirtualRuntime(keySetOf(forge)))
const bearer = (token: string) => ['authorization', `Bearer ${token}`]
const both = () => bearer(forge.token())
const hiOnly = () => bearer(forge.token({ roles: ['CallHiApiRole'] }))
const role = 'CallHiApiRole'
const other = 'CallHelloApiRole'

const listening = async (app: FastifyInstance): Promise<Running> => {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { ...(await running(app.server)), stop: () => app.close() }
}

/** `/todos` and `/todos/other` with two roles, and `/todos/caller`, by a table or by middleware. */
type App = (guard: Guard<Role>) => Promise<Running>
const apps: Readonly<Record<string, { readonly table: App; readonly middleware: App }>> = {
  Express: {
    table: (guard) =>
      serve(
        express().use(
          onExpress.guardedRouter(guard, '/todos', {
            'GET ': { role, handler: (_, response) => response.send('all') },
            'GET /other': { role: other, handler: (_, response) => response.send('other') },
            'GET /caller': {
              role: anyCaller,
              handler: (_, response) => response.send(response.locals.caller.applicationId),
            },
          }),
        ),
      ),
    middleware: (guard) => {
      const app = express()
      app.get('/todos', onExpress.requireRole(guard, role), (_, response) => {
        response.send('all')
      })
      app.get('/todos/other', onExpress.requireRole(guard, other), (_, response) => {
        response.send('other')
      })
      app.get('/todos/caller', onExpress.requireCaller(guard), (_, response) => {
        response.send(response.locals.caller.applicationId)
      })
      return serve(app)
    },
  },

  Fastify: {
    table: (guard) => {
      const routes = onFastify.guardedRoutes(guard, '/todos', {
        'GET ': { role, handler: () => 'all' },
        'GET /other': { role: other, handler: () => 'other' },
        'GET /caller': { role: anyCaller, handler: ({ caller }) => caller.applicationId },
      })
      const app = fastify()
      app.register(routes)
      return listening(app)
    },
    middleware: (guard) => {
      const app = fastify()
      app.get('/todos', { onRequest: onFastify.requireRole(guard, role) }, () => 'all')
      app.get('/todos/other', { preHandler: onFastify.requireRole(guard, other) }, () => 'other')
      app.register(async (scope) => {
        scope.register(onFastify.guardedScope(guard, anyCaller))
        scope.get('/todos/caller', ({ caller }) => caller?.applicationId)
      })
      return listening(app)
    },
  },

  Hono: {
    table: (guard) =>
      serve(
        getRequestListener(
          onHono.guardedApp(guard, '/todos', {
            'GET ': { role, handler: (c) => c.text('all') },
            'GET /other': { role: other, handler: (c) => c.text('other') },
            'GET /caller': {
              role: anyCaller,
              handler: (c, caller) => c.text(caller.applicationId),
            },
          }).fetch,
        ),
      ),
    middleware: (guard) => {
      const app = new Hono()
        .get('/todos', onHono.requireRole(guard, role), (c) => c.text('all'))
        .get('/todos/other', onHono.requireRole(guard, other), (c) => c.text('other'))
        .use('/todos/caller', onHono.requireCaller(guard))
        .get('/todos/caller', (c) => c.text(c.get('caller').applicationId))
      return serve(getRequestListener(app.fetch))
    },
  },

  'node:http': {
    table: (guard) =>
      serve(
        onNode.guardedListener(guard, '/todos', {
          'GET ': { role, handler: (_, response) => response.end('all') },
          'GET /other': { role: other, handler: (_, response) => response.end('other') },
          'GET /caller': {
            role: anyCaller,
            handler: (_, response, caller) => response.end(caller.applicationId),
          },
        }),
      ),
    middleware: (guard) => {
      const listeners = new Map([
        ['/todos', onNode.requireRole(guard, role, (_, response) => void response.end('all'))],
        [
          '/todos/other',
          onNode.requireRole(guard, other, (_, response) => void response.end('other')),
        ],
        [
          '/todos/caller',
          onNode.requireCaller(
            guard,
            (_, response, caller) => void response.end(caller.applicationId),
          ),
        ],
      ])
      return serve((request, response) =>
        listeners.get(request.url?.split('?', 1)[0] ?? '')?.(request, response),
      )
    },
  },

  'Web requests': {
    table: (guard) =>
      serve(
        getRequestListener(
          onWeb.guardedFetch(guard, '/todos', {
            'GET ': { role, handler: () => new Response('all') },
            'GET /other': { role: other, handler: () => new Response('other') },
            'GET /caller': {
              role: anyCaller,
              handler: (_, caller) => new Response(caller.applicationId),
            },
          }),
        ),
      ),
    middleware: (guard) => {
      const handlers = new Map([
        ['/todos', onWeb.requireRole(guard, role, () => new Response('all'))],
        ['/todos/other', onWeb.requireRole(guard, other, () => new Response('other'))],
        [
          '/todos/caller',
          onWeb.requireCaller(guard, (_, caller) => new Response(caller.applicationId)),
        ],
      ])
      return serve(
        getRequestListener(
          (request) =>
            handlers.get(new URL(request.url).pathname)?.(request) ??
            new Response('', { status: 404 }),
        ),
      )
    },
  },
}

const rows: [
  name: string,
  path: string,
  fields: () => readonly string[],
  status: number,
  body: string,
][] = [
  ['a caller with the role at the prefix itself', '', both, 200, 'all'],
  ['the same token again, cached', '', both, 200, 'all'],
  ['a caller with the role', '/other', both, 200, 'other'],
  ['a caller with another role', '/other', hiOnly, 403, 'access_denied'],
  ['the caller of a route without a role', '/caller', hiOnly, 200, clientApplicationId],
  ['no credentials', '', () => [], 401, 'unauthorized'],
  ['no credentials at a route for any caller', '/caller', () => [], 401, 'unauthorized'],
  ['another scheme', '', () => ['authorization', 'Basic eA=='], 401, 'unauthorized'],
  ['an invalid token', '', () => bearer('a.b.c'), 401, 'invalid_token'],
  ['an expired token', '', () => bearer(forge.token({ exp: 1_700_000_000 })), 401, 'invalid_token'],
  ['two tokens', '', () => [...both(), ...both()], 400, 'invalid_request'],
  ['a token in the query', '?access_token=x', both, 400, 'invalid_request'],
]

for (const [framework, { table, middleware }] of Object.entries(apps)) {
  describe(`${framework}: a table and middleware give the same response`, () => {
    let servers: readonly Running[] = []
    before(async () => {
      servers = [await table(newGuard()), await middleware(newGuard())]
    })
    after(async () => {
      for (const { stop } of servers) await stop()
    })

    for (const [name, path, fields, status, body] of rows) {
      it(`to ${name}: ${status}`, async () => {
        const sent = fields()
        const [ofTable, ofMiddleware] = await Promise.all(
          servers.map(async ({ url }) => {
            const answer = await call(url, `/todos${path}`, 'GET', sent)
            return { ...answer, headers: { ...answer.headers, date: '' } }
          }),
        )
        assert.equal(ofTable?.status, status)
        assert.ok(ofTable.body.includes(body), ofTable.body)
        assert.deepEqual(ofMiddleware, ofTable)
      })
    }

    it('to a path with a trailing slash, which differs from the prefix', async () => {
      const url = servers[0]?.url ?? ''
      assert.equal((await call(url, '/todos/', 'GET', both())).status, 404)
      const wrong = await call(url, '/todos', 'POST', both())
      assert.deepEqual([wrong.status, wrong.headers.allow], [405, 'GET, HEAD'])
    })

    it('while there are no keys: 503 before the handler runs', async () => {
      const down = new VirtualRuntime(() => new Response('', { status: 500 }))
      const server = await middleware(createGuard(optionsWith(), down))
      const answer = await call(server.url, '/todos', 'GET', both())
      await server.stop()
      assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1'])
    })
  })
}

describe('guardedRoutes with Fastify', () => {
  it('has separate rows for the prefix with and without a slash', async () => {
    const guard = newGuard()
    const app = fastify()
    app.register(
      onFastify.guardedRoutes(guard, '/todos', { 'GET /': { role, handler: () => 'slash' } }),
    )
    const { url, stop } = await listening(app)
    assert.equal((await call(url, '/todos/', 'GET', both())).body, 'slash')
    assert.equal((await call(url, '/todos', 'GET', both())).status, 404)
    await stop()
  })
})

describe('middleware at start', () => {
  const guard = newGuard()
  const handler = () => new Response('')
  const makers: Record<string, (given: never, role: never) => unknown> = {
    Express: (given, role) => onExpress.requireRole(given, role),
    Fastify: (given, role) => onFastify.requireRole(given, role),
    'a scope of Fastify': (given, role) => onFastify.guardedScope(given, role),
    Hono: (given, role) => onHono.requireRole(given, role),
    'node:http': (given, role) => onNode.requireRole(given, role, handler),
    'Web requests': (given, role) => onWeb.requireRole(given, role, handler),
  }
  for (const [name, make] of Object.entries(makers)) {
    it(`refuses a missing guard: ${name}`, () => {
      for (const given of [undefined, null, {}, optionsWith()]) {
        assert.throws(() => make(given as never, role as never), {
          name: 'TypeError',
          message: 'requireRole and requireCaller need a guard: pass the result of createGuard',
        })
      }
    })

    it(`refuses a role that the guard does not declare: ${name}`, () => {
      for (const wrong of ['CallHIApiRole', '', undefined, Symbol('any caller'), [role]]) {
        assert.throws(() => make(guard as never, wrong as never), {
          name: 'TypeError',
          message: /^The guard has no role .*, but CallHiApiRole, CallHelloApiRole\. Use one/,
        })
      }
    })
  }

  for (const [name, make] of Object.entries({
    Express: onExpress.requireCaller,
    Hono: onHono.requireCaller,
  })) {
    it(`refuses a prefix that no path can begin with: ${name}`, () => {
      for (const prefix of ['api', '/api/', '/', '/api?x']) {
        assert.throws(() => make(guard, prefix), {
          name: 'TypeError',
          message: `The prefix ${prefix} must begin with a slash and not end with one`,
        })
      }
    })
  }

  it('does not compile with an undeclared role', () => {
    // @ts-expect-error a role that the guard was not declared with
    assert.throws(() => onExpress.requireRole(guard, 'CallHIApiRole'))
    // @ts-expect-error a role that the guard was not declared with
    assert.throws(() => onFastify.requireRole(guard, 'CallHIApiRole'))
    // @ts-expect-error a role that the guard was not declared with
    assert.throws(() => onHono.requireRole(guard, 'CallHIApiRole'))
  })
})
