import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import express, { type Router } from 'express'
import * as onExpress from '../../src/adapters/express.ts'
import { createGuard, UnguardedRoutesError } from '../../src/index.ts'
import { optionsWith } from '../token-factory.ts'
import { type Row, unguarded } from './unguarded.ts'

const guard = createGuard(optionsWith())
const role = 'CallHiApiRole'

const end: express.RequestHandler = (_, response) => void response.end()
const required = () => onExpress.requireRole(guard, role)
const todos = () => {
  const router: Router = express.Router()
  router.get('/', end)
  router.get('/:id', end)
  return router
}
const isExpress4 = 'lazyrouter' in express()
const wildcard = isExpress4 ? '*' : '{*rest}'

const expressRows: Row<express.Express>[] = [
  ['a route without a guard', (app) => app.get('/api/hi', end), ['GET /api/hi']],
  ['middleware of the route', (app) => app.get('/api/hi', required(), end), []],
  ['a guard after the handler', (app) => app.get('/api/hi', end, required()), ['GET /api/hi']],
  ['a guard before the prefix', (app) => app.use('/api', required()).get('/api/hi', end), []],
  [
    'a guard after the route',
    (app) => app.get('/api/hi', end).use('/api', required()),
    ['GET /api/hi'],
  ],
  ['a guard before the whole app', (app) => app.use(required()).get('/api/hi', end), []],
  [
    'a guard at another path',
    (app) => app.use('/api/a', required()).get('/api/ab', end),
    ['GET /api/ab'],
  ],
  [
    'a nested router',
    (app) => app.use('/api/todos', todos()),
    ['GET /api/todos', 'GET /api/todos/:id'],
  ],
  ['a nested router with a guard', (app) => app.use('/api/todos', required(), todos()), []],
  [
    'a guard in a nested router, after its first route',
    (app) => {
      const router = todos()
      router.use(required())
      router.get('/late/x', end)
      app.use('/api', router)
    },
    ['GET /api', 'GET /api/:id'],
  ],
  [
    'a guard of one router and a route of the next one',
    (app) => {
      const router = express.Router()
      router.use(required())
      app.use('/api', router).use('/api', todos())
    },
    ['GET /api', 'GET /api/:id'],
  ],
  [
    'a router that is mounted twice, once without a guard',
    (app) => {
      const router = todos()
      app.use('/api/v1', required(), router).use('/api/v2', router)
    },
    ['GET /api/v2', 'GET /api/v2/:id'],
  ],
  [
    'two paths of one router',
    (app) => app.use(['/api/a', '/api/b'], required()).use(['/api/a', '/api/b'], todos()),
    [],
  ],
  [
    'two paths of one router, one of them outside',
    (app) => app.use(['/other', '/api/b'], todos()),
    ['GET /api/b', 'GET /api/b/:id'],
  ],
  [
    'a regular expression for a router',
    (app) => app.use(/^\/a/, todos()),
    isExpress4 ? ['GET /*^\\/a', 'GET /*^\\/a/:id'] : ['GET /^\\/a/', 'GET /^\\/a//:id'],
  ],
  [
    'a regular expression for another path',
    (app) => app.use('/x', todos()).get(/^\/apx$/, required(), end),
    [],
  ],
  ['all methods', (app) => app.all('/api/hi', end), ['ALL /api/hi']],
  [
    'a guard for one of two methods',
    (app) => app.route('/api/hi').get(required(), end).post(end),
    ['POST /api/hi'],
  ],
  [
    'a guard for all methods of a route',
    (app) => app.route('/api/hi').all(required()).get(end).post(end),
    [],
  ],
  ['a regular expression', (app) => app.get(/^\/a(pi|b)\/hi$/, end), ['GET /^\\/a(pi|b)\\/hi$/']],
  ['a wildcard above the prefix', (app) => app.get(`/${wildcard}`, end), [`GET /${wildcard}`]],
  [
    'a wildcard above the prefix, after a guard of the prefix',
    (app) => app.use('/api', required()).get(`/${wildcard}`, end),
    [],
  ],
  ['a parameter in place of the prefix', (app) => app.get('/:root/hi', end), ['GET /:root/hi']],
  [
    'a parameter before a router',
    (app) => app.use('/:root', todos()),
    isExpress4 ? ['GET /:parameter', 'GET /:parameter/:id'] : ['GET /:root', 'GET /:root/:id'],
  ],
  ['a guard with a parameter', (app) => app.use('/:root', required()).get('/api/hi', end), []],
  ['an app in the app', (app) => app.use('/api', express().get('/hi', end)), ['ALL /api/*']],
  ['an app in the app, above the prefix', (app) => app.use(express()), ['ALL /*']],
  ['an app in the app, after a guard', (app) => app.use('/api', required(), express()), []],
  [
    'an error handler at the prefix',
    (app) =>
      app.use('/api', ((_error, _request, _response, next) =>
        next()) as express.ErrorRequestHandler),
    [],
  ],
  [
    'a guard at a regular expression',
    (app) => app.use(/^\/api/, required()).get('/api/hi', end),
    ['GET /api/hi'],
  ],
  [
    'a wildcard in place of the parameter of a guard',
    (app) => app.use('/api/:id', required()).get(`/api/${wildcard}`, end),
    [`GET /api/${wildcard}`],
  ],
  [
    'a guard with a parameter of several parts',
    (app) => app.use('/api/:a-:b', required()).get('/api/hi', end),
    ['GET /api/hi'],
  ],
  ['a function at the prefix', (app) => app.use('/api', end), ['ALL /api/*']],
  [
    'middleware and error handlers of the whole app',
    (app) =>
      app
        .use(express.json())
        .use('/api', required())
        .get('/api/hi', end)
        .use('/api', ((_error, _request, _response, next) =>
          next()) as express.ErrorRequestHandler),
    [],
  ],
  [
    'a guarded router',
    (app) =>
      app
        .use(onExpress.guardedRouter(guard, '/api', { 'GET /hi': { role, handler: end } }))
        .get('/api/later', end),
    [],
  ],
  [
    'a route before a guarded router',
    (app) =>
      app
        .get('/api/early', end)
        .use(onExpress.guardedRouter(guard, '/api', { 'GET /hi': { role, handler: end } })),
    ['GET /api/early'],
  ],
  [
    'a guarded router at another path',
    (app) =>
      app
        .use(onExpress.guardedRouter(guard, '/api/v1', { 'GET /hi': { role, handler: end } }))
        .get('/api/hi', end),
    ['GET /api/hi'],
  ],
  [
    'a guard before a part of a later router',
    (app) => {
      const router = express.Router()
      router.get('/a/hi', end)
      router.get('/b/hi', end)
      app.use('/api/a', required()).use('/api', router)
    },
    ['GET /api/b/hi'],
  ],
  [
    'a guard before the whole of a router with case',
    (app) => {
      const outer = express.Router({ caseSensitive: true })
      const inner = express.Router()
      inner.get('/api/hi', end)
      app.use(outer.use(required()).use(inner))
    },
    [],
  ],
  [
    'two routers with case, one of them with the guard of the other',
    (app) => {
      const [outer, inner] = [1, 2].map(() => express.Router({ caseSensitive: true }))
      inner?.get('/api/hi', end)
      app.use(outer?.use('/api', required()).use(inner ?? end) ?? end)
    },
    [],
  ],
  [
    'a guard and its route in one router with case',
    (app) => {
      const router = express.Router({ caseSensitive: true })
      router.use('/x', required())
      router.get('/x/hi', end)
      app.use('/api', router)
    },
    [],
  ],
  [
    'two methods before the guard of all methods',
    (app) => app.route('/api/hi').get(end).post(end).all(required()),
    ['GET /api/hi', 'POST /api/hi'],
  ],
  [
    'another case, where a router with case has the guard',
    (app) => {
      const outer = express.Router({ caseSensitive: true })
      const inner = express.Router()
      inner.get('/api/hi', end)
      app.use(outer.use('/api', required()).use(inner))
    },
    ['GET /api/hi'],
  ],
  [
    'a router in itself',
    (app) => {
      const router = express.Router()
      app.use('/api', router.use('/again', router))
    },
    ['ALL /api/again/*'],
  ],
  [
    'routes outside',
    (app) => app.get('/open', end).get('/apis', end).get('/api', required(), end),
    [],
  ],
]

describe('assertGuarded lists the routes of Express without a guard', () => {
  for (const [name, build, expected] of expressRows) {
    it(name, () => {
      const app = express()
      build(app)
      // Each app has at least one route below the prefix.
      app.get('/api/last', required(), end)
      assert.deepEqual(
        unguarded(() => onExpress.assertGuarded(app, '/api')),
        expected,
      )
    })
  }

  it('for a router too, and for the whole app', () => {
    assert.deepEqual(
      unguarded(() => onExpress.assertGuarded(todos(), '')),
      ['GET /', 'GET /:id'],
    )
    const app = express().use(express.json()).get('/hi', end)
    assert.deepEqual(
      unguarded(() => onExpress.assertGuarded(app, '/')),
      ['GET /hi'],
    )
  })

  it('of an app that has nothing but a guarded router: none', () => {
    const routes = { 'GET /hi': { role, handler: end } } as const
    const app = express().use(onExpress.guardedRouter(guard, '/api', routes))
    onExpress.assertGuarded(app, '/api')
  })

  it('lists a router at a path that cannot be read', () => {
    const app = express()
      .use(express.json())
      .use('/elsewhere', todos())
      .get('/api/last', required(), end)
    const { stack } = (isExpress4 ? app._router : app.router) as {
      stack: { handle: { stack?: unknown } }[]
    }
    for (const layer of stack) {
      Object.assign(layer, {
        rawPath: undefined,
        ...(layer.handle.stack ? { regexp: undefined } : {}),
      })
    }
    assert.deepEqual(
      unguarded(() => onExpress.assertGuarded(app, '/api')),
      ['GET /*', 'GET /*/:id'],
    )
  })
})

describe('assertGuarded', () => {
  const app = express().get('/api/health', end).get('/api/open', end)
  const message = (open: readonly string[], prefix = '/api') => {
    try {
      onExpress.assertGuarded(app, prefix, open)
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  it('accepts the routes that are open on purpose, and tells which one is not', () => {
    assert.equal(message(['GET /api/health', 'GET /api/open']), undefined)
    assert.equal(
      message(['GET /api/health']),
      'No guard is before these routes below /api:\nGET /api/open',
    )
    assert.match(message(['GET /api/gone']) ?? '', /^GET \/api\/gone is no open route below \/api/)
  })

  it('fails where it would check nothing', () => {
    assert.equal(message([], '/apii'), 'No route is below /apii')
    assert.throws(
      () => onExpress.assertGuarded(express(), ''),
      /^UnguardedRoutesError: No route is below \/$/,
    )
    assert.throws(() => onExpress.assertGuarded({}, '/api'), UnguardedRoutesError)
  })
})
