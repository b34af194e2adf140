import type { KeyActor, KeyRingStore } from '@greeting/directory/keys'
import type { KeyEncryptionKey } from './key-encryption-key.ts'
import { keyEvents } from './key-event.ts'

export type ReencryptionOptions = {
  readonly store: KeyRingStore
  /** The current key-encryption key of the stored keys. */
  readonly from: KeyEncryptionKey
  /** The next key-encryption key. */
  readonly to: KeyEncryptionKey
  readonly by: KeyActor
  readonly now?: () => Date
  /** Makes the random mark of the commit; default a random UUID. */
  readonly newMark?: () => string
}

/**
 * Encrypts every stored private key with another key-encryption key, all or none.
 *
 * Running servers continue to sign with the keys in memory, but create no new ones until they are
 * restarted with the new key.
 *
 * @returns the number of keys
 * @throws {SigningError} key_encryption_key_wrong when `from` is not their current key.
 */
export async function reencryptKeys({
  store,
  from,
  to,
  by,
  now = () => new Date(),
  newMark = () => crypto.randomUUID(),
}: ReencryptionOptions): Promise<number> {
  for (;;) {
    const { latest, ring } = await store.read()
    const reencrypted = ring.map((key) => {
      const privateKey = from.open(key.sealedPrivateKey, key.kid)
      const sealedPrivateKey = to.seal(privateKey, key.kid)
      privateKey.fill(0)
      return { ...key, sealedPrivateKey }
    })
    const events = keyEvents(ring, reencrypted, { by, at: now(), removal: 'remove' })
    const outcome = await store.commit(latest, newMark(), reencrypted, events)
    if (outcome === 'committed') return ring.length
  }
}
