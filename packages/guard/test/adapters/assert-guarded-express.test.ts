import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import express from 'express'
import * as onExpress from '../../src/adapters/express.ts'
import { UnguardedRoutesError } from '../../src/index.ts'
import {
  below,
  end,
  expressRows,
  guard,
  isExpress4,
  required,
  role,
  todos,
} from './assert-guarded-express-cases.ts'
import { unguarded } from './unguarded.ts'

describe('assertGuarded with Express', () => {
  for (const [name, build, expected] of expressRows) {
    it(`lists the unguarded routes of an app with ${name}`, () => {
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

  it('accepts a router or a whole app', () => {
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

  it('lists middleware that it cannot read by name', () => {
    const app = express()
      .use(express.json())
      .use('/x', express.json())
      .use(below('/api'))
      .use((_request, _response, next) => next())
      .get('/api/hi', end)
    assert.deepEqual(onExpress.assertGuarded(app, '/api'), ['/* jsonParser', '/* <anonymous>'])
  })

  it('accepts an app that only has a guarded router', () => {
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

  it('accepts the routes that are declared open, and lists every other open route', () => {
    assert.equal(message(['GET /api/health', 'GET /api/open']), undefined)
    assert.equal(
      message(['GET /api/health']),
      'No guard is before these routes below /api:\nGET /api/open',
    )
    assert.match(message(['GET /api/gone']) ?? '', /^GET \/api\/gone is no open route below \/api/)
  })

  it('fails if it would check nothing', () => {
    assert.equal(message([], '/apii'), 'No route is below /apii')
    assert.throws(
      () => onExpress.assertGuarded(express(), ''),
      /^UnguardedRoutesError: No route is below \/$/,
    )
    assert.throws(() => onExpress.assertGuarded({}, '/api'), UnguardedRoutesError)
  })
})
