import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { guardedRouter } from '../../src/adapters/express.ts'
import { guardedRoutes } from '../../src/adapters/fastify.ts'
import { guardedApp } from '../../src/adapters/hono.ts'
import { guardedListener } from '../../src/adapters/node.ts'
import { guardedFetch } from '../../src/adapters/web.ts'
import { anyCaller, createGuard, RouteTableError } from '../../src/index.ts'
import { allowHeader, validateRoutes } from '../../src/routes/route-table.ts'
import { guardPrefixOf } from '../../src/routes/unguarded-routes.ts'
import { optionsWith } from '../token-factory.ts'

const guard = createGuard(optionsWith())
const handler = () => new Response('Hi')

type Table = Record<string, { role?: unknown; handler?: unknown }>
const judge = (routes: Table, prefix = '/api/v1') => validateRoutes(guard, prefix, routes as never)

describe('a route table', () => {
  it('is divided into methods and paths', () => {
    const routes = {
      'GET /hi': { role: 'CallHiApiRole', handler },
      'POST /x/:id': { role: anyCaller, handler },
    }
    assert.deepEqual(judge(routes), [
      { method: 'GET', path: '/api/v1/hi', role: 'CallHiApiRole', handler },
      { method: 'POST', path: '/api/v1/x/:id', role: anyCaller, handler },
    ])
  })

  const faults: [name: string, routes: Table, fault: RegExp][] = [
    [
      'no role',
      { 'GET /hi': { handler } },
      /^GET \/hi: must require one of CallHiApiRole, CallHelloApiRole, or anyCaller$/,
    ],
    [
      'a misspelt role',
      { 'GET /hi': { role: 'CallHIApiRole', handler } },
      /^GET \/hi: must require/,
    ],
    ['null for a role', { 'GET /hi': { role: null, handler } }, /^GET \/hi: must require/],
    [
      'another symbol for a role',
      { 'GET /hi': { role: Symbol('any caller'), handler } },
      /must require/,
    ],
    ['no handler', { 'GET /hi': { role: anyCaller } }, /^GET \/hi: must have a handler$/],
    ['no method', { '/hi': { role: anyCaller, handler } }, /^\/hi: must be one of GET/],
    ['no slash', { 'GET hi': { role: anyCaller, handler } }, /^GET hi: must be one of GET/],
    [
      'a method in lower case',
      { 'get /hi': { role: anyCaller, handler } },
      /^get \/hi: must be one/,
    ],
    ['an unsupported method', { 'TRACE /hi': { role: anyCaller, handler } }, /^TRACE \/hi: must/],
    [
      'a CORS preflight',
      { 'OPTIONS /hi': { role: anyCaller, handler } },
      /^OPTIONS \/hi: OPTIONS has no token in a CORS preflight, so answer it before the guard$/,
    ],
    ['a query', { 'GET /hi?x': { role: anyCaller, handler } }, /^GET \/hi\?x: must be one of GET/],
  ]
  for (const [name, routes, fault] of faults) {
    it(`with ${name} is refused at start (RS20)`, () => {
      assert.throws(
        () => judge(routes),
        (error: RouteTableError) =>
          error.code === 'route_table' &&
          error.faults.length === 1 &&
          fault.test(error.faults[0] ?? ''),
      )
    })
  }

  it('uses the prefix itself for an empty path', () => {
    const routes = { 'GET ': { role: anyCaller, handler }, 'GET /': { role: anyCaller, handler } }
    assert.deepEqual(
      judge(routes, '/todos').map(({ path }) => path),
      ['/todos', '/todos/'],
    )
    assert.throws(() => judge(routes, ''), /\nGET : must be "GET \/" below an empty prefix$/)
  })

  it('is refused with all its faults in one error', () => {
    const routes = {
      'GET /a': { handler },
      'GET /b': { role: anyCaller },
      c: { role: anyCaller, handler },
    }
    assert.throws(
      () => judge(routes, 'api/'),
      (error: RouteTableError) => error.faults.length === 4 && error.message.includes('GET /b'),
    )
  })

  const adapters = { guardedApp, guardedRouter, guardedRoutes, guardedListener, guardedFetch }
  for (const [name, adapter] of Object.entries(adapters)) {
    it(`without a role is refused by ${name} before it listens (RS20)`, () => {
      assert.throws(
        () => adapter(guard, '/api', { 'GET /hi': { handler } } as never),
        RouteTableError,
      )
    })
  }

  it('with an undeclared role does not compile', () => {
    assert.throws(() =>
      guardedFetch(guard, '/api', {
        // @ts-expect-error a role that the guard was not declared with
        'GET /hi': { role: 'CallHiAPIRole', handler },
      }),
    )
    assert.throws(() =>
      guardedFetch(guard, '/api', {
        // @ts-expect-error no role at all
        'GET /hi': { handler },
      }),
    )
  })
})

describe('Allow', () => {
  it('includes HEAD with GET', () => {
    assert.equal(allowHeader(['POST', 'GET', 'DELETE']), 'POST, GET, HEAD, DELETE')
    assert.equal(allowHeader(['PUT']), 'PUT')
  })
})

it('the mark of a guard is recognized by another copy of the package', async () => {
  const copy = '../../src/routes/unguarded-routes.ts?copy'
  const { markGuard } = await import(copy)
  assert.equal(guardPrefixOf(markGuard(() => {}, '/api')), '/api')
})
