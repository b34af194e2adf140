import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { parseEnv } from 'node:util'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { startIdentityProviderIn } from '../../../test/fixtures/identity-provider.ts'
import { services } from '../../src/system/services.ts'
import { endedCommand, RecordedTerminal } from '../fakes/terminal.ts'

it('an identity provider continues from its backup after it loses its folder', async () => {
  const folder = freshFolder()
  const dataDir = join(folder, 'data')
  const greeting = (...args: string[]) => endedCommand(...args, '--data-dir', dataDir)
  const saved = join(folder, 'saved')
  const kids = async () => {
    const { out, err } = await greeting('keys', 'list', '--json')
    assert.ok(out !== '', err)
    return JSON.parse(out).map(({ kid }: { kid: string }) => kid)
  }
  const passphraseFile = join(folder, 'passphrase')
  await writeFile(passphraseFile, 'a long passphrase')
  const key = ['--passphrase-file', passphraseFile]

  const provider = await startIdentityProviderIn(dataDir)
  const before = await kids()
  const made = await greeting('backup', '--to', saved, ...key)
  assert.equal(made.code, 0, made.err)
  assert.ok(made.out.startsWith(`The backup in ${saved} is complete.`), made.out)
  assert.match(made.err, /^tenant: \d+ rows$/m)
  const again = await greeting('backup', '--to', saved)
  assert.deepEqual([again.code, again.out], [1, ''])
  assert.equal(again.err, `backup failed: ${saved} exists, and is not overwritten.\n`)

  const administrator = await readFile(join(dataDir, 'administrator.env'), 'utf8')
  const tenant = ['--tenant', parseEnv(administrator).TENANT_ID ?? '']
  const one = join(folder, 'one-tenant')
  assert.equal((await greeting('backup', '--to', one, ...tenant)).code, 0)
  const plan = await greeting('restore', '--from', one, ...tenant, '--plan')
  assert.equal(plan.code, 0, plan.err)
  assert.match(plan.out, /^Nothing was written\. .*: 0 created, 0 changed, 0 removed; /)
  await provider.stop()

  // The administrator's file is no part of the store.
  await rm(join(dataDir, 'greeting.sqlite'))
  await rm(join(dataDir, 'key-encryption.key'))
  const restored = await greeting('restore', '--from', saved, ...key)
  assert.equal(restored.code, 0, restored.err)
  const next = await startIdentityProviderIn(dataDir, {
    port: new URL(provider.url).port,
  })
  assert.deepEqual(await kids(), before)
  await next.stop()

  assert.equal((await greeting('backup')).code, 2)
})

it('greeting backup copies the folder that the environment names', async () => {
  const dataDir = freshFolder()
  const terminal = new RecordedTerminal()
  const args = ['backup', '--to', join(dataDir, 'saved')]
  assert.equal(await terminal.run(args, { DATA_DIR: dataDir }, services), 1)
  assert.equal(terminal.err, `backup failed: there is no data file ${dataDir}/greeting.sqlite.\n`)
})
