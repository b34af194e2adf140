import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import express from 'express'
import fastify, { type FastifyServerOptions } from 'fastify'
import { guardedRouter, requireRole } from '../../src/adapters/express.ts'
import { guardedRoutes } from '../../src/adapters/fastify.ts'
import { createGuard, RouteTableError } from '../../src/index.ts'
import { VirtualRuntime } from '../fakes/virtual-runtime.ts'
import { keySetOf, optionsWith, type Role, TokenFactory } from '../token-factory.ts'
import { call } from './call.ts'
import { serve } from './servers.ts'

const forge = new TokenFactory('key-1')
const guard = createGuard(optionsWith(), new VirtualRuntime(keySetOf(forge)))
const role = 'CallHiApiRole'
const authorization = `Bearer ${forge.token()}`
const withoutRole = `Bearer ${forge.token({ roles: [] })}`

type Table = Parameters<typeof guardedRoutes<Role>>[2]
const tableOf = (...keys: string[]) =>
  Object.fromEntries(keys.map((key) => [key, { role, handler: () => key }])) as Table
const appOf = (
  options: FastifyServerOptions,
  ...tables: [prefix: string, Table, outer?: string][]
) => {
  const app = fastify(options)
  for (const [prefix, table, outer] of tables) {
    app.register(guardedRoutes(guard, prefix, table), outer ? { prefix: outer } : {})
  }
  return app
}

const trailing = { ignoreTrailingSlash: true }
const duplicate = { ignoreDuplicateSlashes: true }
const anyCase = { caseSensitive: false }

/** The status for a caller with the role, without the role and without a token. */
const starts: readonly (readonly [
  name: string,
  options: FastifyServerOptions,
  prefix: string,
  keys: readonly string[],
  answers: Readonly<Record<string, number>>,
])[] = [
  [
    'no option',
    {},
    '/api',
    ['GET /o'],
    { '/api/o': 200, '/api/o/': 404, '/api': 404, '/api/': 404 },
  ],
  [
    'ignoreTrailingSlash',
    { routerOptions: trailing },
    '/api',
    ['GET /o'],
    { '/api/o': 200, '/api/o/': 200, '/api': 404, '/api/': 404 },
  ],
  [
    'ignoreTrailingSlash, not among the options of the router',
    trailing,
    '/api',
    ['GET /o'],
    { '/api/o': 200, '/api/o/': 200 },
  ],
  [
    'ignoreTrailingSlash and a parameter',
    { routerOptions: trailing },
    '/:tenant/api',
    ['GET /o'],
    { '/a/api/o': 200, '/a/api/o/': 200, '/a/api/': 404 },
  ],
  [
    'ignoreTrailingSlash and no prefix',
    { routerOptions: trailing },
    '',
    ['GET /o', 'GET /'],
    { '/o': 200, '/o/': 200, '/': 200, '/x': 404 },
  ],
  [
    'ignoreTrailingSlash and the prefix itself',
    { routerOptions: trailing },
    '/api',
    ['GET '],
    { '/api': 200, '/api/': 200 },
  ],
  [
    'ignoreTrailingSlash and the prefix with a slash',
    { routerOptions: trailing },
    '/api',
    ['GET /'],
    { '/api': 200, '/api/': 200 },
  ],
  [
    'ignoreTrailingSlash and a wildcard',
    { routerOptions: trailing },
    '/api',
    ['GET /*'],
    { '/api/x': 200, '/api/x/': 200 },
  ],
  [
    'ignoreDuplicateSlashes',
    { routerOptions: duplicate },
    '/api',
    ['GET /o'],
    { '/api/o': 200, '//api/o': 200, '/api//o': 200, '//api//x': 404 },
  ],
  [
    'caseSensitive: false',
    { routerOptions: anyCase },
    '/api',
    ['GET /o'],
    { '/api/o': 200, '/API/O': 200, '/API/x': 404 },
  ],
  [
    'caseSensitive: false, and two methods in two cases',
    { routerOptions: anyCase },
    '/api',
    ['GET /o', 'POST /O'],
    { '/api/o': 200, '/API/O': 200 },
  ],
  [
    'all of them',
    { routerOptions: { ...trailing, ...duplicate, ...anyCase } },
    '/api',
    ['GET /o'],
    { '//API//o/': 200, '/api/o': 200, '/Api//': 404 },
  ],
  [
    'two methods with two names of a parameter',
    {},
    '/api',
    ['GET /:a', 'POST /:b'],
    { '/api/x': 200 },
  ],
  [
    'rewriteUrl to the prefix',
    { rewriteUrl: ({ url = '' }) => url.replace(/^\/old/, '/api') },
    '/api',
    ['GET /o'],
    { '/old/o': 200, '/old/x': 404, '/api/o': 200 },
  ],
  [
    'rewriteUrl from the prefix',
    { rewriteUrl: ({ url = '' }) => url.replace(/^\/api/, '/new') },
    '/api',
    ['GET /o'],
    { '/api/o': 404, '/api/added': 404 },
  ],
  [
    'useSemicolonDelimiter',
    { routerOptions: { useSemicolonDelimiter: true } as object },
    '/api',
    ['GET /o'],
    { '/api/o;x=1': 200, '/api;x=1': 404 },
  ],
]

describe('guardedRoutes in Fastify with', () => {
  for (const [name, options, prefix, keys, answers] of starts) {
    it(`${name} serves only the routes of the table, with their roles (RS20)`, async () => {
      const app = appOf(options, [prefix, tableOf(...keys)])
      if (prefix !== '') app.get('/new/added', () => 'added')
      for (const [url, status] of Object.entries(answers)) {
        const ask = async (headers: Record<string, string>) =>
          (await app.inject({ url, headers })).statusCode
        assert.equal(await ask({ authorization }), status, url)
        assert.equal(await ask({ authorization: withoutRole }), status === 200 ? 403 : 404, url)
        assert.equal(await ask({}), 401, url)
      }
      await app.close()
    })
  }

  it('ignoreTrailingSlash allows the methods of both spellings, and answers others with 405', async () => {
    const app = appOf({ routerOptions: trailing }, ['/api', tableOf('GET /o', 'POST /o/')])
    for (const url of ['/api/o', '/api/o/']) {
      const answer = await app.inject({ method: 'PUT', url, headers: { authorization } })
      assert.deepEqual([answer.statusCode, answer.headers.allow], [405, 'GET, HEAD, POST'])
    }
    await app.close()
  })

  const equal: readonly (readonly [
    name: string,
    options: FastifyServerOptions,
    keys: readonly string[],
    fault: string,
  ])[] = [
    [
      'ignoreTrailingSlash',
      { routerOptions: trailing },
      ['GET /o', 'GET /o/'],
      'GET /o/: is the same route for Fastify as GET /o',
    ],
    [
      'ignoreTrailingSlash',
      { routerOptions: trailing },
      ['GET ', 'GET /'],
      'GET /: is the same route for Fastify as GET ',
    ],
    [
      'caseSensitive: false',
      { routerOptions: anyCase },
      ['GET /o', 'GET /O'],
      'GET /O: is the same route for Fastify as GET /o',
    ],
    [
      'ignoreDuplicateSlashes',
      { routerOptions: duplicate },
      ['GET /a/b', 'GET /a//b'],
      'GET /a//b: is the same route for Fastify as GET /a/b',
    ],
    ['no option', {}, ['GET /:a', 'GET /:b'], 'GET /:b: is the same route for Fastify as GET /:a'],
  ]
  for (const [name, options, keys, fault] of equal) {
    it(`${name} reports two rows for the same route at start: ${fault}`, async () => {
      const app = appOf(options, ['/api', tableOf(...keys)])
      await assert.rejects(
        async () => void (await app.ready()),
        (error) => error instanceof RouteTableError && error.faults[0] === fault,
      )
      await app.close()
    })
  }

  const twice: readonly (readonly [
    name: string,
    options: FastifyServerOptions,
    second: [string, Table, string?],
  ])[] = [
    ['the same prefix', {}, ['/api', tableOf('GET /other')]],
    ['a prefix where the plugin is registered', {}, ['', tableOf('GET /other'), '/api']],
    [
      'another case of the prefix, with caseSensitive: false',
      { routerOptions: anyCase },
      ['/API', tableOf('GET /other')],
    ],
  ]
  for (const [name, options, second] of twice) {
    it(`two tables of one prefix fails at start: ${name}`, async () => {
      const app = appOf(options, ['/api', tableOf('GET /o')], second)
      await assert.rejects(
        async () => void (await app.ready()),
        (error) =>
          error instanceof RouteTableError &&
          /^prefix \/api: is in use by other guarded routes already$/i.test(error.faults[0] ?? ''),
      )
      await app.close()
    })
  }

  it('the same prefix in another app works', async () => {
    for (const app of [1, 2].map(() => appOf({}, ['/api', tableOf('GET /o')]))) {
      assert.equal((await app.inject({ url: '/api/o', headers: { authorization } })).body, 'GET /o')
      await app.close()
    }
  })
})

describe('Express with', () => {
  for (const [name, strict, sensitive] of [
    ['no option', false, false],
    ['strict routing', true, false],
    ['case sensitive routing', false, true],
    ['strict and case sensitive routing', true, true],
  ] as const) {
    it(`${name} opens nothing below a table or behind middleware (RS20)`, async () => {
      const app = express()
      app.set('strict routing', strict)
      app.set('case sensitive routing', sensitive)
      app.use(
        guardedRouter(guard, '/api', {
          'GET /o': { role, handler: (_, response) => response.send('o') },
        }),
      )
      app.use(requireRole(guard, role, '/more'))
      app.use((_, response) => void response.send('added'))
      const { url, stop } = await serve(app)
      const ask = async (path: string, token?: string) =>
        (await call(url, path, 'GET', token ? ['authorization', token] : [])).status
      for (const path of [
        '/api',
        '/api/',
        '/api/o',
        '/api/o/',
        '/API/o',
        '/api//o',
        '/more',
        '/more/',
        '/MORE/x',
        '//more',
      ]) {
        assert.equal(await ask(path), 401, path)
      }
      assert.equal(await ask('/api/o', authorization), 200)
      assert.equal(await ask('/api/o', withoutRole), 403)
      for (const path of ['/api/o/', '/api/O', '/API/o']) {
        assert.equal(await ask(path, authorization), 404, path)
      }
      assert.equal(await ask('/MORE/', authorization), 200)
      assert.equal(await ask('/MORE/', withoutRole), 403)
      assert.equal(await ask('/other'), 200)
      await stop()
    })
  }
})
