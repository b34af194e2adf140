import { join } from 'node:path'
import { keySchedule, type Settings } from '../settings.ts'
import { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import { keyFromFile } from '../signing/key-file.ts'
import { SigningKeys } from '../signing/signing-keys.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoreReversals } from '../storage/store-reversals.ts'

/** Opens the signing keys with the key encryption key of the settings or of the data folder. */
export async function openKeys(settings: Settings, storage: Storage, reversals: StoreReversals) {
  const { KEY_ENCRYPTION_KEY, DATA_DIR } = settings
  const { ring } = await storage.keyRing.read()
  const path = join(DATA_DIR, 'key-encryption.key')
  const keyEncryptionKey =
    KEY_ENCRYPTION_KEY === undefined
      ? await keyFromFile({ path, keysExist: ring.length > 0 })
      : KeyEncryptionKey.parse(KEY_ENCRYPTION_KEY)
  const keys = await SigningKeys.open({
    store: storage.keyRing,
    keyEncryptionKey,
    schedule: keySchedule(settings),
    onReversal: (followed, latest) => reversals.note('signing-keys', followed, latest),
  })
  return { keys, keyEncryptionKey }
}
