import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import type { AgreedClock } from '@greeting/directory/clock'
import type { KeyRing } from '@greeting/directory/keys'
import type { StoreReversals } from '@greeting/directory/live'
import type { Storage } from '@greeting/directory/storage'
import { rsaKeyFault } from '@greeting/guard'
import { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import { keyFromFile } from '../signing/key-file.ts'
import { SigningKeys } from '../signing/signing-keys.ts'
import type { ServiceEnvironment } from './environment.ts'
import { keySchedule, type Settings } from './settings.ts'

/**
 * Opens the signing keys with the key-encryption key of the settings or the data folder.
 *
 * @throws {Error} when a stored key is a public key of `@greeting/testing`, outside a test
 */
export async function openKeys(
  settings: Settings,
  storage: Pick<Storage, 'keyRing'>,
  reversals: StoreReversals,
  clock: AgreedClock,
  { runtime, generateKey, testKeys }: ServiceEnvironment,
) {
  const { ring } = await storage.keyRing.read()
  if (testKeys === 'refused') ring.forEach(refuseTestKey)
  const keyEncryptionKey = await keyEncryptionKeyOf(settings, ring)
  const keys = await SigningKeys.open({
    store: storage.keyRing,
    keyEncryptionKey,
    schedule: keySchedule(settings),
    agreedTime: clock.agreedTime,
    now: runtime.now,
    generate: generateKey,
    onReversal: (followed, latest) => reversals.note('signing-keys', followed, latest),
  })
  return { keys, keyEncryptionKey }
}

/**
 * Requires that this server can decrypt the stored keys, before it writes anything. Otherwise a
 * server with the wrong store or key would create an administrator and then fail. If no keys are
 * stored, the clock must be right, because the first keys and secrets begin with its time.
 *
 * @throws {SigningError} key_encryption_key_wrong, key_encryption_key_missing, sealed_key_corrupt
 * @throws {Error} when the store is empty and the clock differs from that of the database
 */
export async function requireStoredKeys(
  settings: Settings,
  storage: Storage,
  clock: AgreedClock,
): Promise<void> {
  const { ring } = await storage.keyRing.read()
  if (ring.length === 0 && !clock.isReady()) {
    const seconds = Math.round(clock.offsetSeconds ?? 0)
    throw new Error(
      `The clock of this server is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the clock of the database, and the store is empty: correct the wrong clock, then start again.`,
    )
  }
  if (ring.length === 0) return
  const keyEncryptionKey = await keyEncryptionKeyOf(settings, ring)
  for (const { kid, sealedPrivateKey } of ring) keyEncryptionKey.open(sealedPrivateKey, kid).fill(0)
}

async function keyEncryptionKeyOf(
  { KEY_ENCRYPTION_KEY, DATA_DIR }: Settings,
  ring: KeyRing,
): Promise<KeyEncryptionKey> {
  if (KEY_ENCRYPTION_KEY !== undefined) return KeyEncryptionKey.parse(KEY_ENCRYPTION_KEY)
  return keyFromFile({ path: join(DATA_DIR, 'key-encryption.key'), keysExist: ring.length > 0 })
}

function refuseTestKey({ kid, certificate }: { kid: string; certificate: string }): void {
  const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'))
  if (rsaKeyFault(publicKey) !== 'test_key') return
  throw new Error(
    `The signing key ${kid} is a public test key, so every token of this server could be forged. Remove the store, and register everything again.`,
  )
}
