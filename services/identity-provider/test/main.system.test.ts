import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import {
  abandonAtOnce,
  type ProviderProcess,
  readSeeded,
  startProvider,
  verifiedToken,
} from './provider-process.ts'

const folder = freshFolder()

type End = (provider: ProviderProcess) => Promise<number | null>

describe('the identity provider as a process', () => {
  it('starts with an empty folder, and keeps keys, registrations and secrets however it stops', async () => {
    const DATA_DIR = join(folder, 'made/on/first/start')
    const seen = new Set<string>()
    // The channel closes when the parent of a process ends.
    for (const [overChannel, end, code] of [
      [false, (provider) => provider.end('SIGINT'), 0],
      [false, (provider) => provider.end('SIGKILL'), null],
      [true, (provider) => provider.abandon(), 0],
    ] as const satisfies readonly [boolean, End, number | null][]) {
      const provider = await startProvider({ DATA_DIR, HTTPS_PORT: 'off' }, { overChannel })
      const { protectedHeader, payload } = await verifiedToken(provider.url, DATA_DIR)
      const { tenantId } = await readSeeded(DATA_DIR)
      assert.equal(payload.iss, `${provider.url}/${tenantId}/`)
      seen.add(`${protectedHeader.kid} ${payload.sub}`)
      const ready = await fetch(`${provider.url}/readyz`)
      assert.deepEqual(await ready.json(), { status: 'ready' })
      assert.equal(await end(provider), code)
    }
    assert.equal(seen.size, 1)
    // A stop closes the database, so that no journal remains.
    assert.ok(!(await readdir(DATA_DIR)).some((name) => name.endsWith('-wal')))
  })

  it('reports a low limit of open files, and later starts in the same folder', async () => {
    const settings = { DATA_DIR: join(folder, 'few-files'), HTTPS_PORT: '0' }
    for (const limit of [28, 36]) {
      const within = ['sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh']
      await assert.rejects(startProvider(settings, { within }), ({ message }: Error) => {
        assert.match(
          message,
          new RegExp(`cannot start: the limit of ${limit} open files is too low: `),
        )
        return true
      })
    }
    const provider = await startProvider(settings)
    assert.equal(await provider.end('SIGTERM'), 0)
  })

  it('stops when the channel to its parent process closes during the start', async () => {
    const DATA_DIR = join(folder, 'with-channel')
    assert.equal(await abandonAtOnce({ DATA_DIR, HTTPS_PORT: 'off' }), 0)
  })
})
