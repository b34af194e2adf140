import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { rsaKeyFault } from '@greeting/guard'
import type { ServiceWorld } from '../service-world.ts'
import { keySchedule, type Settings } from '../settings.ts'
import { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import { keyFromFile } from '../signing/key-file.ts'
import { SigningKeys } from '../signing/signing-keys.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoreReversals } from '../storage/store-reversals.ts'

/**
 * Opens the signing keys with the key encryption key of the settings or of the data folder.
 *
 * @throws {Error} when a stored key is a public key of `@greeting/testing`, outside a test
 */
export async function openKeys(
  settings: Settings,
  storage: Storage,
  reversals: StoreReversals,
  { runtime, generateKey, testKeys }: ServiceWorld,
) {
  const { KEY_ENCRYPTION_KEY, DATA_DIR } = settings
  const { ring } = await storage.keyRing.read()
  if (testKeys === 'refused') ring.forEach(refuseTestKey)
  const path = join(DATA_DIR, 'key-encryption.key')
  const keyEncryptionKey =
    KEY_ENCRYPTION_KEY === undefined
      ? await keyFromFile({ path, keysExist: ring.length > 0 })
      : KeyEncryptionKey.parse(KEY_ENCRYPTION_KEY)
  const keys = await SigningKeys.open({
    store: storage.keyRing,
    keyEncryptionKey,
    schedule: keySchedule(settings),
    now: runtime.now,
    generate: generateKey,
    onReversal: (followed, latest) => reversals.note('signing-keys', followed, latest),
  })
  return { keys, keyEncryptionKey }
}

function refuseTestKey({ kid, certificate }: { kid: string; certificate: string }): void {
  const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'))
  if (rsaKeyFault(publicKey) !== 'test_key') return
  throw new Error(
    `The signing key ${kid} is a public test key, so every token of this server could be forged. Remove the store, and register everything again.`,
  )
}
