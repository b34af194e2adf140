import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { run, temporaryFolder } from './greeting-process.ts'
import { startIdentityProvider } from './identity-provider-process.ts'

it('the identity provider of a lost folder continues from its backup', async (t) => {
  const folder = await temporaryFolder(t)
  const dataDir = join(folder, '.greeting')
  const greeting = (...args: string[]) => run('greeting', args, { cwd: folder })
  const kids = async () => {
    const { out, err } = await greeting('keys', 'list', '--json')
    assert.ok(out !== '', err)
    return JSON.parse(out).map(({ kid }: { kid: string }) => kid)
  }
  await writeFile(join(folder, 'passphrase'), 'a long passphrase')
  const key = ['--passphrase-file', 'passphrase']

  const provider = await startIdentityProvider(dataDir)
  const before = await kids()
  const made = await greeting('backup', '--to', 'saved', ...key)
  assert.equal(made.code, 0, made.err)
  assert.match(made.out, /^The backup in saved is complete\./)
  const again = await greeting('backup', '--to', 'saved')
  assert.deepEqual([again.code, again.out], [1, ''])
  assert.equal(again.err, 'backup failed: saved exists, and is not overwritten.\n')
  await provider.stop()

  // The administrator's file is no part of the store.
  await rm(join(dataDir, 'greeting.sqlite'))
  await rm(join(dataDir, 'key-encryption.key'))
  const restored = await greeting('restore', '--from', 'saved', ...key)
  assert.equal(restored.code, 0, restored.err)
  const next = await startIdentityProvider(dataDir, {
    PORT: new URL(provider.url).port,
    HTTPS_PORT: '0',
  })
  assert.deepEqual(await kids(), before)
  await next.stop()

  assert.equal((await greeting('backup')).code, 2)
})
