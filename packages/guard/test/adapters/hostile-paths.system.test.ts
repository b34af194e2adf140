import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { connect } from 'node:net'
import { join, posix } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { getRequestListener } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import express, { type Express, type RequestHandler } from 'express'
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { Hono } from 'hono'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import * as onExpress from '../../src/adapters/express.ts'
import * as onFastify from '../../src/adapters/fastify.ts'
import * as onHono from '../../src/adapters/hono.ts'
import { guardedListener } from '../../src/adapters/node.ts'
import { guardedFetch } from '../../src/adapters/web.ts'
import { createGuard, UnguardedRoutesError } from '../../src/index.ts'
import { VirtualRuntime } from '../fakes/virtual-runtime.ts'
import { keySetOf, optionsWith, TokenFactory } from '../token-factory.ts'
import { harmlessTargets, hostileTargets } from './hostile-paths.ts'
import { type Running, running, serve } from './servers.ts'

const forge = new TokenFactory('key-1')
const guard = createGuard(optionsWith(), new VirtualRuntime(keySetOf(forge)))
const role = 'CallHiApiRole'
const prefix = '/private'
const withToken = `authorization: Bearer ${forge.token()}\r\n`

const folder = freshFolder()
mkdirSync(join(folder, 'private'))
writeFileSync(join(folder, 'private', 'secret.txt'), 'SECRET')

/** Sends the target as it is, which no client of HTTP does. */
async function send(url: string, target: string, fields = ''): Promise<[number, string]> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(`GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${fields}\r\n`)
  const answer = await text(socket)
  return [Number(answer.slice(9, 12)), answer]
}

/** Decodes and resolves a path as file servers do. */
const resolved = (target: string) => {
  try {
    return posix.normalize(decodeURIComponent(target).replaceAll('\\', '/')).toLowerCase()
  } catch {
    return target
  }
}
const fileOr404 = (target: string) =>
  resolved(target).endsWith('/private/secret.txt') ? 'SECRET' : undefined

/** What a request of the Web has left of a target. Some are then outside the prefix for every reader. */
const isBelowAsUrl = (target: string) => {
  const url = URL.parse(target.startsWith('/') ? `http://localhost${target}` : target)
  return !/^\/(?:[xa]|secret\.txt)(?:\/|$)/.test(url?.pathname ?? '')
}

type Form<App> = Readonly<Record<string, (app: App) => unknown>>
type App = {
  readonly readsUrl?: boolean
  readonly name: string
  readonly start: () => Promise<Running>
  readonly check?: () => unknown
}

const answer: RequestHandler = (_request, response) => void response.send('SECRET')
const expressForms: Form<Express> = {
  guardedRouter: (app) =>
    app.use(onExpress.guardedRouter(guard, prefix, { 'GET /hi': { role, handler: answer } })),
  'requireCaller with the prefix': (app) => app.use(onExpress.requireCaller(guard, prefix)),
}
const expressBehind: Form<Express> = {
  'static files': (app) => app.use(express.static(folder)),
  'a parameter': (app) => app.get('/:area', answer).get('/:area/:file', answer),
  'a parameter of each segment': (app) => app.get('/:a/:b/:c', answer).get('/:a/:b/:c/:d', answer),
  'a regular expression': (app) => app.get(/secret/, answer),
  'an app in the app': (app) => app.use(express().use(express.static(folder))),
  'a router': (app) => app.use(express.Router().use(express.static(folder)).get(/./, answer)),
  'a router at a parameter': (app) => app.use('/:area', express.Router().use(answer)),
  'a function of a parameter': (app) => {
    app.param('area', (_request, response) => void response.send('SECRET'))
    app.get('/:area/:file', answer)
  },
  'an answer to each path': (app) => app.use(answer),
  'an answer by the original URL': (app) =>
    app.use((request, response) => void response.send(fileOr404(request.originalUrl))),
}

const fastifyForms: Form<FastifyInstance> = {
  guardedRoutes: (app) =>
    app.register(
      onFastify.guardedRoutes(guard, prefix, { 'GET /hi': { role, handler: () => 'Hi' } }),
    ),
}
const fastifyBehind: Form<FastifyInstance> = {
  'static files': (app) =>
    app.get('/*', (request, reply) => {
      const file = fileOr404(request.url)
      return file ?? reply.callNotFound()
    }),
  'a parameter': (app) => app.get('/:area', () => 'SECRET').get('/:area/:file', () => 'SECRET'),
  'a regular expression': (app) => app.get('/:a(^.*$)/:b', () => 'SECRET'),
  'a plugin': (app) => app.register(async (child) => void child.get('/*', () => 'SECRET')),
  'a handler of unknown paths': (app) => app.setNotFoundHandler(() => 'SECRET'),
  'a handler of unknown paths in a plugin': (app) =>
    app.register(async (child) => void child.setNotFoundHandler(() => 'SECRET'), { prefix: '/x' }),
  'an answer to each path': (app) => app.all('/*', () => 'SECRET'),
}
const fastifyOptions: Readonly<Record<string, FastifyServerOptions>> = {
  'no option': {},
  ignoreTrailingSlash: { routerOptions: { ignoreTrailingSlash: true } },
  ignoreDuplicateSlashes: { routerOptions: { ignoreDuplicateSlashes: true } },
  'caseSensitive: false': { routerOptions: { caseSensitive: false } },
  useSemicolonDelimiter: { routerOptions: { useSemicolonDelimiter: true } as object },
  rewriteUrl: { rewriteUrl: ({ url = '' }) => url.replace(/^\/old\//, '/private/') },
}

const secret = () => new Response('SECRET')
const honoForms: Form<Hono> = {
  'requireCaller with the prefix': (app) => app.use(onHono.requireCaller(guard, prefix)),
  'guardedApp in an app': (app) =>
    app.route('/', onHono.guardedApp(guard, prefix, { 'GET /hi': { role, handler: secret } })),
}
const honoBehind: Form<Hono> = {
  'static files': (app) => app.use(serveStatic({ root: folder })),
  'static files that decode': (app) =>
    app.use(async (c) => c.text(fileOr404(c.req.path) ?? '', fileOr404(c.req.path) ? 200 : 404)),
  'a parameter': (app) => app.get('/:area', secret).get('/:area/:file', secret),
  'a regular expression': (app) => app.get('/:path{.+}', secret),
  'an app in the app': (app) => app.route('/', new Hono().get('*', secret)),
  'a foreign app': (app) => app.mount('/', secret),
  'an answer to each path': (app) => app.use(async () => secret()),
  'an answer to unknown paths': (app) => app.notFound(secret),
}

const listening = async (app: FastifyInstance): Promise<Running> => {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { ...(await running(app.server)), stop: () => app.close() }
}
const rows = <App>(forms: Form<App>, behind: Form<App>) =>
  Object.entries(forms).flatMap(([form, place]) =>
    Object.entries(behind).map(([name, add]) => ({ name: `${form} before ${name}`, place, add })),
  )

const apps: readonly App[] = [
  ...rows(expressForms, expressBehind).map(({ name, place, add }): App => {
    const app = express()
    place(app)
    add(app)
    return {
      name: `Express, ${name}`,
      start: () => serve(app),
      check: () => onExpress.assertGuarded(app, prefix),
    }
  }),
  ...Object.entries(fastifyOptions).flatMap(([option, options]) =>
    rows(fastifyForms, fastifyBehind).map(({ name, place, add }): App => {
      const app = fastify(options)
      place(app)
      add(app)
      return {
        name: `Fastify with ${option}, ${name}`,
        start: () => listening(app),
        check: () => onFastify.assertGuarded(app, prefix),
      }
    }),
  ),
  ...rows(honoForms, honoBehind).map(({ name, place, add }): App => {
    const app = new Hono()
    place(app)
    add(app)
    return {
      readsUrl: true,
      name: `Hono, ${name}`,
      start: () => serve(getRequestListener(app.fetch)),
      check: () => onHono.assertGuarded(app, prefix),
    }
  }),
  ...Object.entries(honoBehind).map(([name, add]): App => {
    const app = onHono.guardedApp(guard, prefix, { 'GET /hi': { role, handler: secret } })
    add(app)
    return {
      readsUrl: true,
      name: `Hono, guardedApp before ${name}`,
      start: () => serve(getRequestListener(app.fetch)),
    }
  }),
  ...Object.entries({
    'static files': express().use(express.static(folder)) as unknown as RequestListener,
    'an answer to each path': (_, response) => void response.end('SECRET'),
  } satisfies Record<string, RequestListener>).map(([name, otherwise]): App => {
    const routes = { 'GET /hi': { role, handler: otherwise } } as const
    return {
      name: `node:http, guardedListener before ${name}`,
      start: () => serve(guardedListener(guard, prefix, routes, otherwise)),
    }
  }),
  {
    readsUrl: true,
    name: 'Web requests, guardedFetch before an answer to each path',
    start: () =>
      serve(
        getRequestListener(
          guardedFetch(guard, prefix, { 'GET /hi': { role, handler: secret } }, secret),
        ),
      ),
  },
]

for (const { name, start, check, readsUrl = false } of apps) {
  describe(name, () => {
    let app: Running
    before(async () => {
      app = await start()
    })
    after(() => app.stop())

    it('serves no spelling of a path below the prefix without a token (RS20)', async () => {
      for (const target of readsUrl ? hostileTargets.filter(isBelowAsUrl) : hostileTargets) {
        const [status, body] = await send(app.url, target)
        // 400: the server, or the router of the framework, does not read the target.
        assert.ok([400, 401, 404].includes(status), `${target}: ${body}`)
        assert.doesNotMatch(body, /SECRET/, target)
      }
    })

    // A table of Hono answers another spelling with 404 at once.
    it('responds with 401 or 404 to each request that reaches the guard (RS20)', async () => {
      assert.equal((await send(app.url, '/private/secret.txt'))[0], 401)
      for (const target of ['//private/secret.txt', '/private%2fsecret.txt']) {
        const [status] = await send(app.url, target)
        assert.ok(status === 401 || (status === 404 && name.includes('guardedApp')), target)
      }
    })

    it('passes other paths on to the app', async () => {
      for (const target of harmlessTargets) {
        assert.notEqual((await send(app.url, target))[0], 401, target)
      }
    })

    if (check !== undefined) it('is accepted by assertGuarded', () => void check())
  })
}

/** The forms that a framework does not call for each spelling. */
const byPath: readonly { readonly name: string; readonly check: () => unknown }[] = [
  ...Object.entries(expressBehind).map(([name, add]) => ({
    name: `Express before ${name}`,
    check: () => {
      const app = express().use(prefix, onExpress.requireCaller(guard))
      add(app)
      onExpress.assertGuarded(app, prefix)
    },
  })),
  ...Object.entries(honoBehind)
    .filter(([name]) => !name.includes('unknown'))
    .map(([name, add]) => ({
      name: `Hono before ${name}`,
      check: () => {
        const app = new Hono()
        app.use(`${prefix}/*`, onHono.requireCaller(guard))
        add(app)
        onHono.assertGuarded(app, prefix)
      },
    })),
]

describe('assertGuarded refuses a guard that is mounted at a path', () => {
  for (const { name, check } of byPath) {
    it(`${name} (RS20)`, () => {
      assert.throws(
        check,
        (error) => error instanceof UnguardedRoutesError && error.routes.length > 0,
      )
    })
  }
})

describe('the guard of a prefix', () => {
  it('responds with 404 to another spelling below an Express table (RS20)', async () => {
    const app = express()
    expressForms.guardedRouter?.(app)
    const { url, stop } = await serve(app.use(answer))
    for (const target of hostileTargets) {
      const [status, body] = await send(url, target, withToken)
      assert.equal(status, status === 400 ? 400 : 404, `${target}: ${body}`)
    }
    await stop()
  })

  it('refuses a path below the prefix that earlier Express middleware rewrote (RS20)', async () => {
    const app = express().use((request, _response, next) => {
      request.url = request.url.replace('/old/', '/private/').replace('/private/open', '/x')
      next()
    })
    const { url, stop } = await serve(app.use(onExpress.requireCaller(guard, prefix)).use(answer))
    assert.equal((await send(url, '/private/open'))[0], 401)
    assert.equal((await send(url, '/old/x'))[0], 401)
    assert.equal((await send(url, '/x'))[0], 200)
    await stop()
  })

  it('applies below the path where a Hono app is mounted (RS20)', async () => {
    const inner = new Hono().use(onHono.requireCaller(guard, '/v2'))
    const app = new Hono().route('/api', onHono.guardedApp(guard, '/v1', {})).route('/api', inner)
    const { url, stop } = await serve(getRequestListener(app.get('*', secret).fetch))
    for (const [target, status] of [
      ['/api/v1/x', 401],
      ['/api//v1/x', 404],
      ['/api//v2/x', 401],
      ['/api/v3/x', 200],
      ['/v1/x', 200],
    ] as const) {
      assert.equal((await send(url, target))[0], status, target)
    }
    await stop()
  })

  it('admits a caller with the role to Express and Hono apps behind middleware', async () => {
    const app = express()
      .use(onExpress.requireRole(guard, role, prefix))
      .use(answer)
    const hono = new Hono().use(onHono.requireRole(guard, role, prefix)).get('*', secret)
    for (const { url, stop } of [await serve(app), await serve(getRequestListener(hono.fetch))]) {
      const without = `authorization: Bearer ${forge.token({ roles: ['CallHelloApiRole'] })}\r\n`
      assert.equal((await send(url, '/private/x', withToken))[0], 200)
      assert.equal((await send(url, '//private/x', withToken))[0], 200)
      assert.equal((await send(url, '//private/x', without))[0], 403)
      assert.equal((await send(url, '/x'))[0], 200)
      await stop()
    }
  })
})
