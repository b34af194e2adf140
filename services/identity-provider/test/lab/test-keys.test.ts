import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { it } from 'node:test'
import { rsaKeyFault } from '@greeting/guard'
import { testKeys } from '@greeting/lab'
import { pino } from 'pino'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { TestKeySupply } from '../../src/lab/test-key-supply.ts'
import { KeyEncryptionKey } from '../../src/signing/key-encryption-key.ts'
import { systemEnvironment } from '../../src/startup/environment.ts'
import { startService } from '../../src/startup/service.ts'
import { readSettings } from '../../src/startup/settings.ts'

it('the guard recognizes each public test key, and each certificate belongs to its key', () => {
  for (const { certificate, privateKey } of testKeys) {
    const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'))
    const der = { key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' } as const
    assert.ok(createPublicKey(createPrivateKey(der)).equals(publicKey))
    assert.equal(rsaKeyFault(publicKey), 'test_key')
  }
})

it('the key supply generates keys once all public keys are used', async () => {
  const supply = new TestKeySupply()
  supply.rewind(testKeys.length - 3)
  const encryptionKey = KeyEncryptionKey.generate()
  const faults: (string | undefined)[] = []
  for (const _ of ['public', 'generated']) {
    const { certificate } = await supply.next(encryptionKey, new Date())
    const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'))
    faults.push(rsaKeyFault(publicKey))
  }
  assert.deepEqual(faults, ['test_key', undefined])
})

it('a server without a lab refuses to start with a public test key', async () => {
  const folder = freshFolder()
  const settings = readSettings({ PORT: '0', HTTPS_PORT: 'off', DATA_DIR: folder })
  const log = pino({ level: 'silent' })
  const generateKey = new TestKeySupply().next
  const accepting = { ...systemEnvironment, generateKey, testKeys: 'accepted' } as const
  await (await startService({ settings, log, environment: accepting })).stop()
  await assert.rejects(startService({ settings, log }), /The signing key .* is a public test key/)
})
