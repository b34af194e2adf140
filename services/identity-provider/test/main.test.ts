import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  abandonAtOnce,
  failToStart,
  readSeeded,
  startProvider,
  verifiedToken,
} from './provider-process.ts'

let folder: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'greeting-provider-'))
})
after(() => rm(folder, { recursive: true }))

describe('the identity provider as a process', () => {
  it('starts with an empty folder, and keeps keys, registrations and secrets after a stop and after a kill', async () => {
    const DATA_DIR = join(folder, 'made/on/first/start')
    const seen = new Set<string>()
    for (const [signal, code] of [
      ['SIGINT', 0],
      ['SIGKILL', null],
      ['SIGTERM', 0],
    ] as const) {
      const provider = await startProvider({ DATA_DIR })
      const { protectedHeader, payload } = await verifiedToken(provider.url, DATA_DIR)
      const { tenantId } = await readSeeded(DATA_DIR)
      assert.equal(payload.iss, `${provider.url}/${tenantId}/`)
      seen.add(`${protectedHeader.kid} ${payload.sub}`)
      const ready = await fetch(`${provider.url}/readyz`)
      assert.deepEqual(await ready.json(), { status: 'ready' })
      assert.equal(await provider.end(signal), code)
    }
    assert.equal(seen.size, 1)
  })

  describe('with an IPC channel to its parent', () => {
    const DATA_DIR = () => join(folder, 'with-channel')

    it('stops when the channel closes during the start', async () => {
      assert.equal(await abandonAtOnce({ DATA_DIR: DATA_DIR(), HTTPS_PORT: 'off' }), 0)
    })

    it('stops when the channel closes', async () => {
      const environment = { DATA_DIR: DATA_DIR(), HTTPS_PORT: 'off' }
      const provider = await startProvider(environment, { overChannel: true })
      await verifiedToken(provider.url, DATA_DIR())
      assert.equal(await provider.abandon(), 0)
      // A stop closes the database, so that no journal remains.
      assert.ok(!(await readdir(DATA_DIR())).some((name) => name.endsWith('-wal')))
    })
  })

  it('exits with 2 for invalid settings, and reports all of them', async () => {
    const { code, stderr } = await failToStart({
      PORT: '70000',
      AUTH_URL: 'http://login.example/',
      KEY_ENCRYPTION_KEY: 'canary',
    })
    assert.equal(code, 2)
    assert.match(stderr, /PORT is "70000"; expected a port from 0 to 65535, or off/)
    assert.match(stderr, /AUTH_URL is .*; expected an http or https URL without a slash at its end/)
    assert.match(stderr, /KEY_ENCRYPTION_KEY has an invalid value; expected 32 bytes in base64/)
    assert.doesNotMatch(stderr, /canary/)
  })
})
