import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import express, { type Express, type RequestHandler, type Router } from 'express'
import { guardedRouter, requireCaller, requireRole } from '../../src/adapters/express.ts'
import { createGuard, type Guard } from '../../src/index.ts'
import { VirtualRuntime } from '../fakes/virtual-runtime.ts'
import { keySetOf, optionsWith, type Role, TokenFactory } from '../token-factory.ts'
import { call } from './call.ts'
import { serve } from './servers.ts'

const forge = new TokenFactory('key-1')
const newGuard = (options = {}) =>
  createGuard(optionsWith(options), new VirtualRuntime(keySetOf(forge)))
const bearer = (claims = {}) => ['authorization', `Bearer ${forge.token(claims)}`]
const both = () => bearer()
const otherRole = () => bearer({ roles: ['CallHelloApiRole'] })
const role = 'CallHiApiRole'

/** The router of an app that exists. It knows nothing of a guard. */
const todos = (): Router => {
  const router = express.Router()
  router.get('/', (_, response) => void response.send('all'))
  router.get('/:id', (request, response) => void response.send(`one ${request.params.id}`))
  return router
}
const pass: RequestHandler = (_request, _response, next) => next()
const passTo =
  (place: 'route' | 'router'): RequestHandler =>
  (_request, _response, next) =>
    next(place)

const moves: [name: string, move: (app: Express, guard: Guard<Role>) => unknown][] = [
  [
    'a table whose handlers call next()',
    (app, guard) =>
      app
        .use(
          guardedRouter(guard, '/todos', {
            'GET ': { role, handler: pass },
            'GET /:id': { role, handler: pass },
          }),
        )
        .use('/todos', todos()),
  ],
  [
    "a table whose handlers call next('router')",
    (app, guard) =>
      app
        .use(
          guardedRouter(guard, '/todos', {
            'GET ': { role, handler: passTo('router') },
            'GET /:id': { role, handler: passTo('router') },
          }),
        )
        .use('/todos', todos()),
  ],
  [
    "a table whose handlers call next('route')",
    (app, guard) =>
      app
        .use(
          guardedRouter(guard, '/todos', {
            'GET ': { role, handler: passTo('route') },
            'GET /:id': { role, handler: passTo('route') },
          }),
        )
        .use('/todos', todos()),
  ],
  [
    'a table whose handler is the router',
    (app, guard) => {
      const handler = todos()
      app.use(
        guardedRouter(guard, '/todos', {
          'GET ': { role, handler },
          'GET /:id': { role, handler },
        }),
      )
    },
  ],
  [
    'a table whose handler is an app',
    (app, guard) => {
      const handler = express().use(todos())
      app.use(
        guardedRouter(guard, '/todos', {
          'GET ': { role, handler },
          'GET /:id': { role, handler },
        }),
      )
    },
  ],
  [
    'requireRole before the router',
    (app, guard) => app.use('/todos', requireRole(guard, role), todos()),
  ],
  [
    'requireRole in the router',
    (app, guard) => app.use('/todos', express.Router().use(requireRole(guard, role)).use(todos())),
  ],
  [
    'requireRole before the whole app, after a body parser',
    (app, guard) => app.use(express.json(), requireRole(guard, role)).use('/todos', todos()),
  ],
  [
    'two guards, each with its own check',
    (app, guard) =>
      app.use(requireCaller(newGuard())).use('/todos', requireRole(guard, role), todos()),
  ],
]

async function withApp(build: (app: Express) => unknown, check: (url: string) => Promise<void>) {
  const app = express()
  // Quiet: the default error handler prints.
  app.set('env', 'test')
  build(app)
  app.use(((error, _request, response, _next) => {
    response.status(500).send(`failed: ${error.message}`)
  }) as express.ErrorRequestHandler)
  const { url, stop } = await serve(app)
  await check(url).finally(stop)
}

describe('an existing Express router behind the guard', () => {
  for (const [name, move] of moves) {
    it(`works with ${name}`, () =>
      withApp(
        (app) => move(app, newGuard()),
        async (url) => {
          for (const [path, body] of [
            ['/todos', 'all'],
            ['/todos/7', 'one 7'],
          ] as const) {
            const ask = async (fields: readonly string[]) => await call(url, path, 'GET', fields)
            assert.deepEqual([(await ask(both())).body, (await ask([])).status], [body, 401])
            assert.equal((await ask(otherRole())).status, 403)
          }
        },
      ))
  }

  it('exposes no undeclared route when a row calls next()', () =>
    withApp(
      (app) =>
        app
          .use(guardedRouter(newGuard(), '/todos', { 'GET ': { role, handler: pass } }))
          .use('/todos', todos()),
      async (url) => {
        assert.equal((await call(url, '/todos/7', 'GET', both())).status, 404)
        assert.equal((await call(url, '/todos', 'POST', both())).status, 405)
      },
    ))

  it('answers OPTIONS after requireRole on a route, while app.use lets the guard answer', () =>
    withApp(
      (app) =>
        app
          .use('/guarded', requireRole(newGuard(), role), todos())
          .get('/open', requireRole(newGuard(), role), pass),
      async (url) => {
        assert.equal((await call(url, '/guarded', 'OPTIONS', [])).status, 401)
        const own = await call(url, '/open', 'OPTIONS', [])
        assert.deepEqual([own.status, own.headers.allow?.replace(/ /g, '')], [200, 'GET,HEAD'])
      },
    ))

  it('refuses every token behind two guards of different tenants', () =>
    withApp(
      (app) => {
        const foreign = newGuard({
          issuers: [
            { issuer: 'https://a.example', audiences: ['a'], keySetUrl: 'https://a.example/k' },
          ],
        })
        app.use(requireCaller(foreign), requireRole(newGuard(), role)).use('/todos', todos())
      },
      async (url) => {
        assert.equal((await call(url, '/todos', 'GET', both())).status, 401)
      },
    ))
})

describe("the app's error handler in Express 4 and 5", () => {
  const failures: [name: string, handler: RequestHandler, message: string][] = [
    [
      'thrown',
      () => {
        throw new Error('sync')
      },
      'failed: sync',
    ],
    ['rejected', async () => await Promise.reject(new Error('async')), 'failed: async'],
    [
      'rejected without a reason',
      () => Promise.reject(),
      'failed: The handler failed without an error',
    ],
    ['passed to next', (_request, _response, next) => next(new Error('passed')), 'failed: passed'],
  ]
  for (const [name, handler, message] of failures) {
    it(`receives an error that is ${name}, and responds with 500`, () =>
      withApp(
        (app) => app.use(guardedRouter(newGuard(), '/api', { 'GET /hi': { role, handler } })),
        async (url) => {
          // The first request waits for the keys, the second one does not.
          for (const _ of [1, 2]) {
            const answer = await call(url, '/api/hi', 'GET', both())
            assert.deepEqual([answer.status, answer.body], [500, message])
          }
        },
      ))
  }

  it('receives an error after requireRole, before and after the keys are available', () =>
    withApp(
      (app) =>
        app.get('/hi', requireRole(newGuard(), role), () => {
          throw new Error('sync')
        }),
      async (url) => {
        for (const _ of [1, 2]) {
          assert.equal((await call(url, '/hi', 'GET', both())).body, 'failed: sync')
        }
      },
    ))
})
