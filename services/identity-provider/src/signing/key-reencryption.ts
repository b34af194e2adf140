import type { KeyEncryptionKey } from './key-encryption-key.ts'
import { type KeyActor, keyEvents } from './key-event.ts'
import type { KeyRingStore } from './key-ring-store.ts'

export type ReencryptionOptions = {
  readonly store: KeyRingStore
  /** The key that the stored keys are encrypted under now. */
  readonly from: KeyEncryptionKey
  /** The key that they shall be encrypted under. */
  readonly to: KeyEncryptionKey
  readonly by: KeyActor
  readonly now?: () => Date
  /** Makes the mark of the commit; default a random UUID. */
  readonly newMark?: () => string
}

/**
 * Encrypts every stored private key under another key, all or none.
 *
 * Servers that run on sign with the keys they have in memory and make no new ones; they are
 * restarted with the new key at leisure.
 *
 * @returns how many keys there are.
 * @throws {SigningError} key_encryption_key_wrong when `from` is not the key that they are under.
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
