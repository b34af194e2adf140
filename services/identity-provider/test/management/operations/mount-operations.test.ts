import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Hono } from 'hono'
import { mountOperations, pathInApp } from '../../../src/management/operations/operation-path.ts'

const rows: readonly [string, string][] = [
  ['/v1.0/applications', '/applications'],
  ['/v1.0/applications/v1.0', '/applications/v1.0'],
  ['/v1.0', '/'],
  ['/v1.0/', '/'],
  ['/v1.0/v1.0/applications', '/v1.0/applications'],
  ['/v1.00/applications', '/v1.00/applications'],
  ['/V1.0/applications', '/V1.0/applications'],
  ['/applications', '/applications'],
  ['/v1.0/%2e%2e/applications', '/applications'],
  ['/v1.0//applications', '//applications'],
  ['/v1.0/a%2Fb?c=/v1.0/d', '/a%2Fb'],
]

describe('an operations app at a path prefix', () => {
  for (const [path, expected] of rows)
    it(`reads ${path} as ${expected}`, () => {
      assert.equal(pathInApp(new URL(`http://localhost${path}`).pathname, '/v1.0'), expected)
    })

  it('receives the original request with the environment', async () => {
    const request = new Request('http://localhost/v1.0/applications')
    const seen: unknown[] = []
    const operations = new Hono().all('*', (context) => {
      seen.push(context.req.raw, context.env)
      return context.text('')
    })
    const environment = { incoming: 'of the listener' }
    await mountOperations(new Hono(), '/v1.0', operations).fetch(request, environment)
    assert.ok(seen[0] === request && seen[1] === environment)
  })
})
