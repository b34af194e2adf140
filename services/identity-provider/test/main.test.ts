import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
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

const dataFolder = () => mkdtemp(join(folder, 'data-'))

describe('the identity provider as a process', () => {
  it('starts with an empty folder, issues a valid token, and stops on a signal', async () => {
    const DATA_DIR = join(await dataFolder(), 'made/on/first/start')
    const provider = await startProvider({ DATA_DIR })
    const { payload } = await verifiedToken(provider.url, DATA_DIR)
    const { tenantId } = await readSeeded(DATA_DIR)
    assert.equal(payload.iss, `${provider.url}/${tenantId}/`)
    const ready = await fetch(`${provider.url}/readyz`)
    assert.deepEqual(await ready.json(), { status: 'ready' })
    assert.equal(await provider.end('SIGTERM'), 0)
  })

  it('stops when the IPC channel to its parent closes', async () => {
    const DATA_DIR = await dataFolder()
    const provider = await startProvider({ DATA_DIR }, { overChannel: true })
    await verifiedToken(provider.url, DATA_DIR)
    assert.equal(await provider.abandon(), 0)
    // A stop closes the database, so that no journal remains.
    assert.ok(!(await readdir(DATA_DIR)).some((name) => name.endsWith('-wal')))
  })

  it('stops when the IPC channel closes during the start', async () => {
    assert.equal(await abandonAtOnce({ DATA_DIR: await dataFolder() }), 0)
  })

  it('keeps keys, registrations and secrets after a stop and after a kill', async () => {
    const DATA_DIR = await dataFolder()
    const seen = new Set<string>()
    for (const [signal, code] of [
      ['SIGINT', 0],
      ['SIGKILL', null],
      ['SIGTERM', 0],
    ] as const) {
      const provider = await startProvider({ DATA_DIR })
      const { protectedHeader, payload } = await verifiedToken(provider.url, DATA_DIR)
      seen.add(`${protectedHeader.kid} ${payload.sub}`)
      assert.equal(await provider.end(signal), code)
    }
    assert.equal(seen.size, 1)
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

  it('reports a port in use in one sentence, and creates nothing', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const DATA_DIR = await dataFolder()
    const { code, stderr } = await failToStart({ DATA_DIR, PORT: String(port) })
    other.close()
    assert.equal(code, 1)
    assert.equal(
      stderr,
      `The identity provider cannot start: port ${port} at 127.0.0.1 is taken by another program.\n`,
    )
    assert.deepEqual(await readdir(DATA_DIR), [])
  })
})
