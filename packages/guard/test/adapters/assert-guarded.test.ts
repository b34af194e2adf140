import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fastify, { type FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import * as onFastify from '../../src/adapters/fastify.ts'
import * as onHono from '../../src/adapters/hono.ts'
import { anyCaller, createGuard } from '../../src/index.ts'
import { optionsWith } from '../token-factory.ts'
import { type Row, unguarded } from './unguarded.ts'

const guard = createGuard(optionsWith())
const role = 'CallHiApiRole'

const hi = () => 'hi'
const onRequest = onFastify.requireRole(guard, role)
const fastifyRows: Row<FastifyInstance>[] = [
  ['a route without a guard', (app) => app.get('/api/hi', hi), ['GET /api/hi', 'HEAD /api/hi']],
  ['a hook of the route', (app) => app.get('/api/hi', { onRequest }, hi), []],
  ['a later hook of the route', (app) => app.get('/api/hi', { preHandler: onRequest }, hi), []],
  [
    'another hook',
    (app) => app.post('/api/hi', { onRequest: async () => {} }, hi),
    ['POST /api/hi'],
  ],
  [
    'a hook that runs too late',
    (app) => app.post('/api/hi', { onSend: onRequest as never }, hi),
    ['POST /api/hi'],
  ],
  [
    'several plugins of one instance',
    (app) => {
      app.register(onFastify.guardedScope(guard, anyCaller))
      app.register(onFastify.guardedScope(guard, role))
      app.register(onFastify.guardedRoutes(guard, '/api/v1', {}))
      app.register(async (child) => void child.get('/api/hi', hi))
    },
    [],
  ],
  [
    'a plugin of the instance',
    (app) => {
      app.register(onFastify.guardedScope(guard, anyCaller))
      app.register(async (child) => void child.get('/hi', hi), { prefix: '/api' })
      app.get('/api/late/:id', hi)
    },
    [],
  ],
  [
    'a plugin of another instance',
    (app) => {
      app.register(async (child) => {
        child.register(onFastify.guardedScope(guard, role))
        child.get('/api/guarded', hi)
      })
      app.post('/api/hello', hi)
      app.post('/api/help', hi)
    },
    ['POST /api/hello', 'POST /api/help'],
  ],
  [
    'guarded routes',
    (app) =>
      app.register(onFastify.guardedRoutes(guard, '/api', { 'GET /hi': { role, handler: hi } })),
    [],
  ],
  ['a wildcard', (app) => app.post('/api/a/*', hi), ['POST /api/a/*']],
  ['a wildcard above the prefix', (app) => app.post('/*', hi), ['POST /*']],
  ['the route of a CORS plugin', (app) => app.options('*', hi), ['OPTIONS *']],
  ['all methods', (app) => app.all('/api/hi', hi), ['ALL /api/hi']],
  [
    'a version',
    (app) => app.post('/api/hi', { constraints: { version: '1.0.0' } }, hi),
    ['POST /api/hi'],
  ],
  [
    'a route with a regular expression',
    (app) => app.post('/:a(^a.*)/hi', hi),
    ['POST /:a(^a.*)/hi'],
  ],
  ['a route in another case', (app) => app.post('/API/hi', hi), ['POST /API/hi']],
  ['routes outside the prefix', (app) => app.post('/apis', hi), []],
  ['a handler for unknown paths', (app) => app.setNotFoundHandler(hi), ['ALL /*']],
  [
    'a handler for unknown paths beside a guarded plugin',
    (app) => {
      app.register(
        async (child) => {
          child.register(onFastify.guardedScope(guard, role))
          child.get('/hi', hi)
        },
        { prefix: '/api' },
      )
      app.setNotFoundHandler(hi)
    },
    ['ALL /*'],
  ],
  [
    'a handler for unknown paths in a plugin',
    (app) =>
      app.register(async (child) => void child.setNotFoundHandler(hi), { prefix: '/api/v1' }),
    ['ALL /api/v1/*'],
  ],
  [
    'a handler for unknown paths in another plugin',
    (app) => app.register(async (child) => void child.setNotFoundHandler(hi), { prefix: '/x' }),
    [],
  ],
  [
    'a handler for unknown paths in a guarded instance',
    (app) => {
      app.register(onFastify.guardedScope(guard, anyCaller))
      app.setNotFoundHandler(hi)
    },
    [],
  ],
  [
    'guarded routes, a handler for unknown paths and a page for every path',
    (app) => {
      app.register(onFastify.guardedRoutes(guard, '/api', {}))
      app.setNotFoundHandler(hi)
      app.get('/*', hi)
    },
    [],
  ],
  [
    'guarded routes under another prefix, and a page for every path',
    (app) => {
      app.register(onFastify.guardedRoutes(guard, '/api/v1', {}))
      app.post('/*', hi)
    },
    ['POST /*'],
  ],
]

describe('assertGuarded with Fastify', () => {
  for (const [name, build, expected] of fastifyRows) {
    it(`lists the unguarded routes of an app with ${name}`, async () => {
      const app = fastify()
      build(app)
      app.get('/api/last/one', { onRequest }, hi)
      await app.ready()
      assert.deepEqual(
        unguarded(() => onFastify.assertGuarded(app, '/api')),
        expected,
      )
      await app.close()
    })
  }
})

describe('assertGuarded with an incompatible Fastify version', () => {
  it('lists a handler for unknown paths if Fastify cannot report it', async () => {
    const app = fastify()
    app.get('/api/hi', { onRequest }, hi)
    await app.ready()
    const unread = { printRoutes: (options: object) => app.printRoutes(options) }
    assert.deepEqual(
      unguarded(() => onFastify.assertGuarded(unread, '/api')),
      ['ALL /*'],
    )
    await app.close()
  })
})

const honoRequired = () => onHono.requireRole(guard, role)
const honoBelow = (prefix: string) => onHono.requireRole(guard, role, prefix)
const honoRows: Row<Hono>[] = [
  ['a route without a guard', (app) => app.get('/api/hi', (c) => c.text('')), ['GET /api/hi']],
  ['middleware of the route', (app) => app.get('/api/hi', honoRequired(), (c) => c.text('')), []],
  [
    'middleware of a route with a pattern',
    (app) => app.get('/api/:a{.+}', honoRequired(), (c) => c.text('')),
    [],
  ],
  [
    'middleware before the guard',
    (app) =>
      app.get(
        '/api/hi',
        async (_, next) => next(),
        honoRequired(),
        (c) => c.text(''),
      ),
    ['GET /api/hi'],
  ],
  [
    'middleware of the prefix',
    (app) =>
      app
        .use('/api/*', honoRequired())
        .get('/api/hi', (c) => c.text(''))
        .get('/api', (c) => c.text('')),
    [],
  ],
  [
    'middleware after the route',
    (app) => app.get('/api/hi', (c) => c.text('')).use('/api/*', honoRequired()),
    ['GET /api/hi'],
  ],
  [
    'a guard for one method',
    (app) => app.get('/api/hi', honoRequired()).post('/api/hi', (c) => c.text('')),
    ['POST /api/hi'],
  ],
  [
    'a nested app with a separate error handler',
    (app) => {
      const child = new Hono()
        .onError((_, c) => c.text(''))
        .get('/a', honoRequired(), (c) => c.text(''))
      app.route(
        '/api',
        child.get('/b', (c) => c.text('')),
      )
    },
    ['GET /api/b'],
  ],
  [
    'an app that is mounted twice, once without a guard',
    (app) => {
      const child = new Hono().get('/a', (c) => c.text(''))
      app.use('/api/v1/*', honoRequired()).route('/api/v1', child).route('/api/v2', child)
    },
    ['GET /api/v2/a'],
  ],
  ['a foreign app', (app) => app.mount('/api/x', () => new Response('')), ['ALL /api/x/*']],
  [
    'middleware of the prefix before the guard',
    (app) => app.use('/api/*', async (_, next) => next()).use('/api/*', honoRequired()),
    ['ALL /api/*'],
  ],
  ['all methods', (app) => app.all('/api/hi', (c) => c.text('')), ['ALL /api/hi']],
  ['a page for every path', (app) => app.get('*', (c) => c.text('')), ['GET /*']],
  [
    'a page for every path, after a guard at the path of the prefix',
    (app) => app.use('/api/*', honoRequired()).get('*', (c) => c.text('')),
    ['GET /*'],
  ],
  [
    'a page for every path, after a guard of the whole app with the prefix',
    (app) => app.use(honoBelow('/api')).get('*', (c) => c.text('')),
    [],
  ],
  [
    'a route after a guard of the whole app with another prefix',
    (app) => app.use(honoBelow('/api/v1')).get('/api/v2', (c) => c.text('')),
    ['GET /api/v2'],
  ],
  [
    'a parameter, after a guard at the path of the prefix',
    (app) => app.use('/api/*', honoRequired()).get('/:area/hi', (c) => c.text('')),
    ['GET /:area/hi'],
  ],
  [
    'middleware of the whole app, after a guard at the path of the prefix',
    (app) => app.use('/api/*', honoRequired()).use(async (_, next) => next()),
    ['ALL /*'],
  ],
  [
    'a guard with a prefix before one route',
    (app) => app.get('/api/hi', honoBelow('/x'), (c) => c.text('')),
    ['GET /api/hi'],
  ],
  ['middleware of the whole app', (app) => app.use(async (_, next) => next()), []],
  ['a parameter with a pattern', (app) => app.get('/:a{.+}', (c) => c.text('')), ['GET /:a{.+}']],
  [
    'a guarded app',
    (app) => {
      const routes = {
        'GET /hi': { role, handler: (c: { text(text: string): Response }) => c.text('') },
      } as const
      app.route('/', onHono.guardedApp(guard, '/api', routes)).get('/api/later', (c) => c.text(''))
    },
    [],
  ],
  [
    'a page for every path, after a guarded app',
    (app) => app.route('/', onHono.guardedApp(guard, '/api', {})).get('*', (c) => c.text('')),
    [],
  ],
  [
    'a route after a guarded app with another prefix',
    (app) =>
      app.route('/', onHono.guardedApp(guard, '/api/v1', {})).get('/api/v2', (c) => c.text('')),
    ['GET /api/v2'],
  ],
  ['routes outside the prefix', (app) => app.get('/apis', (c) => c.text('')), []],
]

describe('assertGuarded with Hono', () => {
  for (const [name, build, expected] of honoRows) {
    it(`lists the unguarded routes of an app with ${name}`, () => {
      const app = new Hono()
      build(app)
      app.get('/api/last', honoRequired(), (c) => c.text(''))
      assert.deepEqual(
        unguarded(() => onHono.assertGuarded(app, '/api')),
        expected,
      )
    })
  }

  it('lists middleware that it cannot read, and the handler for unknown paths', () => {
    const named = async function cors(_: unknown, next: () => Promise<void>) {
      await next()
    }
    const app = new Hono().use(named).get('/api/hi', honoRequired(), (c) => c.text(''))
    assert.deepEqual(onHono.assertGuarded(app, '/api'), ['/* cors', 'notFound'])
    const whole = new Hono().use(honoBelow('/api')).get('/api/hi', (c) => c.text(''))
    assert.deepEqual(onHono.assertGuarded(whole, '/api'), ['notFound'])
  })

  it('checks a whole app without its middleware', () => {
    const app = new Hono().use(async (_, next) => next()).get('/hi', (c) => c.text(''))
    assert.deepEqual(
      unguarded(() => onHono.assertGuarded(app, '/')),
      ['GET /hi'],
    )
  })
})
