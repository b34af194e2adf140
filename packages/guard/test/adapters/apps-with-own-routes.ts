import { getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { Hono } from 'hono'
import { guardedRouter } from '../../src/adapters/express.ts'
import { guardedRoutes } from '../../src/adapters/fastify.ts'
import { guardedApp } from '../../src/adapters/hono.ts'
import { guardedListener } from '../../src/adapters/node.ts'
import { guardedFetch } from '../../src/adapters/web.ts'
import type { Guard } from '../../src/index.ts'
import type { Role } from '../token-factory.ts'
import { type Running, running, serve } from './servers.ts'

/** An app with additional routes of its author, which answer `added`, and with guarded routes. */
export type AppWithOwnRoutes = {
  readonly adapter: string
  readonly name: string
  readonly start: (guard: Guard<Role>) => Promise<Running>
  /** Paths below the prefix that only the router of this app finds. */
  readonly alsoPaths?: readonly string[]
}

const prefix = '/api/v1'
const role = 'CallHiApiRole'

const honoApp = (guard: Guard<Role>, below = prefix) =>
  guardedApp(guard, below, { 'GET /hi': { role, handler: (c) => c.text('Hi') } })
const honoRow = (
  name: string,
  build: (guard: Guard<Role>) => Hono,
  alsoPaths: readonly string[] = [],
): AppWithOwnRoutes => ({
  adapter: 'Hono',
  name,
  start: (guard) => serve(getRequestListener(build(guard).fetch)),
  alsoPaths,
})

const expressRow = (
  name: string,
  add: (app: express.Express) => void,
  alsoPaths: readonly string[] = [],
): AppWithOwnRoutes => ({
  adapter: 'Express',
  name,
  start: (guard) => {
    const app = express()
    app.use(
      guardedRouter(guard, prefix, {
        'GET /hi': { role, handler: (_, response) => response.send('Hi') },
      }),
    )
    add(app)
    return serve(app)
  },
  alsoPaths,
})
const added: express.RequestHandler = (_, response) => {
  response.send('added')
}

const plugin = (guard: Guard<Role>) =>
  guardedRoutes(guard, prefix, { 'GET /hi': { role, handler: () => 'Hi' } })
const fastifyRow = (
  name: string,
  build: (app: FastifyInstance, guard: Guard<Role>) => void,
  alsoPaths: readonly string[] = [],
  options: FastifyServerOptions = {},
): AppWithOwnRoutes => ({
  adapter: 'Fastify',
  name,
  start: async (guard) => {
    const app = fastify(options)
    build(app, guard)
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { ...(await running(app.server)), stop: () => app.close() }
  },
  alsoPaths,
})

export const appsWithOwnRoutes: readonly AppWithOwnRoutes[] = [
  honoRow('a route below the prefix', (guard) =>
    honoApp(guard).get('/api/v1/open', (c) => c.text('added')),
  ),
  honoRow('a page for every path', (guard) => honoApp(guard).get('*', (c) => c.text('added'))),
  honoRow('a middleware that answers every path', (guard) =>
    honoApp(guard).use(async (c) => c.text('added')),
  ),
  honoRow('another method of a declared path', (guard) =>
    honoApp(guard).post('/api/v1/hi', (c) => c.text('added')),
  ),
  honoRow('its own answer for unknown paths', (guard) =>
    honoApp(guard).notFound((c) => c.text('added')),
  ),
  honoRow('another app mounted below the prefix', (guard) => {
    const other = new Hono().all('*', (c) => c.text('added'))
    return honoApp(guard).route('/api/v1', other)
  }),
  honoRow('the guarded app mounted by route()', (guard) => {
    const outer = new Hono().route('/', honoApp(guard))
    return outer.get('/api/v1/open', (c) => c.text('added')).get('*', (c) => c.text('added'))
  }),
  honoRow('the guarded app mounted below another path', (guard) =>
    new Hono().route('/api', honoApp(guard, '/v1')).get('*', (c) => c.text('added')),
  ),
  honoRow('a parameter in the prefix', (guard) =>
    honoApp(guard, '/:root/v1').get('*', (c) => c.text('added')),
  ),
  honoRow(
    'an empty prefix',
    (guard) =>
      guardedApp(guard, '', { 'GET /api/v1/hi': { role, handler: (c) => c.text('Hi') } })
        .get('/api/v1/open', (c) => c.text('added'))
        .get('/', (c) => c.text('added')),
    ['/'],
  ),

  expressRow('a route below the prefix', (app) => app.get('/api/v1/open', added), [
    '/API/V1/open',
    '/api/V1/open',
  ]),
  expressRow('a page for every path', (app) => app.get('/{*path}', added), ['/API/v1/none']),
  expressRow('a middleware that answers every path', (app) => app.use(added)),
  expressRow('another method of a declared path', (app) => app.post('/api/v1/hi', added)),
  {
    adapter: 'Express',
    name: 'the guarded router in another router',
    start: (guard) => {
      const router = express.Router()
      router.use(
        guardedRouter(guard, '/v1', {
          'GET /hi': { role, handler: (_, response) => response.send('Hi') },
        }),
      )
      return serve(express().use('/api', router).use(added))
    },
  },
  {
    adapter: 'Express',
    name: 'an empty prefix',
    start: (guard) =>
      serve(
        express()
          .use(
            guardedRouter(guard, '', {
              'GET /api/v1/hi': { role, handler: (_, response) => response.send('Hi') },
            }),
          )
          .use(added),
      ),
    alsoPaths: ['/'],
  },

  fastifyRow('a route below the prefix', (app, guard) => {
    app.register(plugin(guard))
    app.get('/api/v1/open', () => 'added')
  }),
  fastifyRow('a route below the prefix, added before', (app, guard) => {
    app.get('/api/v1/open', () => 'added')
    app.register(plugin(guard))
  }),
  fastifyRow('a route of a plugin that is registered before', (app, guard) => {
    app.register(async (other) => void other.get('/open', () => 'added'), { prefix })
    app.register(plugin(guard))
  }),
  fastifyRow('a route of a plugin that is registered after', (app, guard) => {
    app.register(plugin(guard))
    app.register(async (other) => void other.get('/open', () => 'added'), { prefix })
  }),
  fastifyRow('a page for every path', (app, guard) => {
    app.register(plugin(guard))
    app.get('/*', () => 'added')
  }),
  fastifyRow('parameters for every path', (app, guard) => {
    app.register(plugin(guard))
    app.all('/:a/:b/:c', () => 'added')
  }),
  fastifyRow('its own answer for unknown paths', (app, guard) => {
    app.register(plugin(guard))
    app.setNotFoundHandler(() => 'added')
  }),
  fastifyRow(
    'paths compared without case and doubled slashes',
    (app, guard) => {
      app.register(plugin(guard))
      app.get('/API//v1/open', () => 'added')
    },
    ['/API/v1/open', '/api//v1/open'],
    { routerOptions: { caseSensitive: false, ignoreDuplicateSlashes: true } },
  ),
  fastifyRow('a prefix where the plugin is registered', (app, guard) => {
    const routes = { 'GET /hi': { role, handler: () => 'Hi' } } as const
    app.register(guardedRoutes(guard, '/v1', routes), { prefix: '/api' })
    app.get('/api/v1/open', () => 'added')
  }),
  fastifyRow('the guarded routes in another plugin', (app, guard) => {
    app.register(async (other) => void other.register(plugin(guard)))
    app.get('/*', () => 'added')
  }),
  fastifyRow(
    'an empty prefix',
    (app, guard) => {
      app.register(guardedRoutes(guard, '', { 'GET /api/v1/hi': { role, handler: () => 'Hi' } }))
      app.get('/api/v1/open', () => 'added')
    },
    ['/'],
  ),
  fastifyRow('another spelling of the prefix where the plugin is registered', (app, guard) => {
    const routes = { 'GET /hi': { role, handler: () => 'Hi' } } as const
    app.register(guardedRoutes(guard, '/v1', routes), { prefix: 'api/' })
    app.get('/api/v1/open', () => 'added')
  }),

  {
    adapter: 'node:http',
    name: 'an answer for every other path',
    start: (guard) =>
      serve(
        guardedListener(
          guard,
          prefix,
          { 'GET /hi': { role, handler: (_, response) => response.end('Hi') } },
          // Decodes, ignores case and removes `..`, as many frameworks do.
          (_, response) => response.end('added'),
        ),
      ),
    alsoPaths: [
      '/%61pi/v1/open',
      '/api%2Fv1/open',
      '/API/v1/open',
      '//api/v1/open',
      '/api//v1/open',
      '/x/../api/v1/open',
      '/x/%2E%2e/api/v1/open',
      '/x/..%2Fapi/v1/open',
      '/api\\v1\\open',
      'http://localhost/%61pi/v1/open',
    ],
  },
  {
    adapter: 'Web requests',
    name: 'an answer for every other path',
    start: (guard) => {
      const routes = { 'GET /hi': { role, handler: () => new Response('Hi') } } as const
      const fetch = guardedFetch(guard, prefix, routes, () => new Response('added'))
      return serve(getRequestListener(fetch))
    },
    alsoPaths: [
      '/%61pi/v1/open',
      '/api%2Fv1/open',
      '/API/v1/open',
      '//api/v1/open',
      '/x/..%2Fapi/v1/open',
    ],
  },
]
