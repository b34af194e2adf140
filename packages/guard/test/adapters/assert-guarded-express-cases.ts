import express, { type Router } from 'express'
import * as onExpress from '../../src/adapters/express.ts'
import { createGuard } from '../../src/index.ts'
import { optionsWith } from '../token-factory.ts'
import type { Row } from './unguarded.ts'

export const guard = createGuard(optionsWith())
export const role = 'CallHiApiRole'

export const end: express.RequestHandler = (_, response) => void response.end()
export const required = () => onExpress.requireRole(guard, role)
export const below = (prefix: string) => onExpress.requireRole(guard, role, prefix)
export const todos = () => {
  const router: Router = express.Router()
  router.get('/', end)
  router.get('/:id', end)
  return router
}
export const isExpress4 = 'lazyrouter' in express()
const wildcard = isExpress4 ? '*' : '{*rest}'

/** Apps of Express, and what the check lists of them. */
export const expressRows: Row<express.Express>[] = [
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
    'a wildcard above the prefix, after a guard that is mounted at the prefix',
    (app) => app.use('/api', required()).get(`/${wildcard}`, end),
    [`GET /${wildcard}`],
  ],
  [
    'a wildcard above the prefix, after a guard of the whole app with the prefix',
    (app) => app.use(below('/api')).get(`/${wildcard}`, end),
    [],
  ],
  [
    'a route after a guard of the whole app with another prefix',
    (app) => app.use(below('/api/v1')).get('/api/v2', end).get('/api/v1/hi', end),
    ['GET /api/v2'],
  ],
  [
    'a parameter after a guard that is mounted at the prefix',
    (app) => app.use('/api', required()).get('/:area/hi', end),
    ['GET /:area/hi'],
  ],
  [
    'a regular expression without a special character',
    (app) => app.use('/api', required()).get(/secret/, end),
    ['GET /*/secret/'],
  ],
  ['static files of the whole app', (app) => app.use(express.static('.')), ['ALL /*']],
  [
    'static files of the whole app, after a guard that is mounted at the prefix',
    (app) => app.use('/api', required()).use(express.static('.')),
    ['ALL /*'],
  ],
  [
    'static files, after a guard at the same path',
    (app) => app.use('/api', required(), express.static('.')),
    [],
  ],
  [
    'static files of the whole app, after its guard',
    (app) => app.use(below('/api')).use(express.static('.')),
    [],
  ],
  ['an answer to unknown paths', (app) => app.use(end), ['ALL /*']],
  [
    'middleware of the whole app, after a guard that is mounted at the prefix',
    (app) => app.use('/api', required()).use(express.json()),
    ['ALL /*'],
  ],
  [
    'middleware of the whole app, after a guard at another path',
    (app) => app.use('/x', required()).use(express.json()),
    [],
  ],
  [
    'a guard with a prefix before one route',
    (app) => app.get('/api/hi', below('/x'), end),
    ['GET /api/hi'],
  ],
  [
    'a function of a parameter before the guard of its path',
    (app) => {
      app.param('id', end)
      app.use('/api/:id', required()).get('/api/:id', end).get('/api/a/:name', required(), end)
    },
    [isExpress4 ? 'PARAM /api/:parameter' : 'PARAM /api/:id'],
  ],
  [
    'a function of another parameter',
    (app) => {
      app.param('id', end)
      app.get('/api/a/:name', required(), end)
    },
    [],
  ],
  [
    'a function of a parameter after a guard',
    (app) => {
      app.param('id', end)
      app.use('/api', required()).get('/api/:id', end)
    },
    [],
  ],
  [
    'a guarded router in a router, before an answer to unknown paths',
    (app) => {
      const routes = { 'GET /hi': { role, handler: end } } as const
      app.use('/api', express.Router().use(onExpress.guardedRouter(guard, '', routes))).use(end)
    },
    ['ALL /*'],
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
