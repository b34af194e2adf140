import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StorageUnavailableError } from '@greeting/directory/live'
import type { ServiceOptions } from '../../src/endpoints/service-options.ts'
import { testService } from './test-service.ts'

const rows: [string, Partial<ServiceOptions>, number, string][] = [
  ['ready', {}, 200, 'ready'],
  ['not ready while it stops', { isReady: () => false }, 503, 'stopping'],
  [
    'not ready without the storage',
    { directory: { read: () => Promise.reject(new StorageUnavailableError('canary')) } },
    503,
    'storage unavailable',
  ],
  [
    'not ready without keys',
    { keys: { sign: async () => '', published: () => [] } },
    503,
    'no keys',
  ],
  ['not ready with a wrong clock', { isClockAgreed: () => false }, 503, 'clock differs'],
]

describe('the identity provider', () => {
  for (const [what, options, status, text] of rows) {
    it(`is alive and ${what}`, async () => {
      const { app } = await testService(options)
      const ready = await app.request('http://login.test/readyz')
      assert.equal(ready.status, status)
      assert.deepEqual(await ready.json(), { status: text })
      assert.equal(ready.headers.get('cache-control'), 'no-store')
      assert.equal((await app.request('http://login.test/healthz')).status, 200)
    })
  }

  it('returns the URLs of its documents at its root, and 404 at an unknown path', async () => {
    const { app } = await testService()
    const root = await (await app.request('http://login.test/')).json()
    assert.match(root.discovery, /^http:\/\/login\.test\/.*openid-configuration$/)
    const nowhere = await app.request('http://login.test/nowhere')
    assert.equal(nowhere.status, 404)
    assert.equal((await nowhere.json()).error, 'not_found')
  })
})
