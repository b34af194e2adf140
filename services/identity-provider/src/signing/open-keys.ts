import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import type { AgreedClock } from '@greeting/directory/clock'
import { createSecretFile, readIfThere, readPrivateFile } from '@greeting/directory/files'
import type { KeyRing, KeyRingStore } from '@greeting/directory/keys'
import { rsaKeyFault } from '@greeting/guard'
import { KeyEncryptionKey } from './key-encryption-key.ts'
import { SigningError } from './signing-error.ts'
import { SigningKeys, type SigningKeysOptions } from './signing-keys.ts'

/** Where the key-encryption key is: a setting, or a file in the data folder. */
type KeySettings = { readonly KEY_ENCRYPTION_KEY?: string | undefined; readonly DATA_DIR: string }

/**
 * Opens the signing keys with the key-encryption key of the settings or the data folder.
 *
 * @throws {Error} when a stored key is a public key of `@greeting/testing`, outside a test
 */
export async function openKeys(
  settings: KeySettings,
  testKeys: 'refused' | 'accepted',
  options: Omit<SigningKeysOptions, 'keyEncryptionKey'>,
) {
  const { ring } = await options.store.read()
  if (testKeys === 'refused') ring.forEach(refuseTestKey)
  const keyEncryptionKey = await keyEncryptionKeyOf(settings, ring)
  return { keys: await SigningKeys.open({ ...options, keyEncryptionKey }), keyEncryptionKey }
}

/** Asks the store or, while it is unavailable, the standby. */
type AskBoth = {
  ask<Answer>(store: () => Promise<Answer>, standby: () => Promise<Answer>): Promise<Answer>
}

/** The key ring, which is read from a standby while the store is unavailable. */
export const standbyKeyRing = (
  store: KeyRingStore,
  standby: Pick<KeyRingStore, 'read'>,
  reads: AskBoth,
): KeyRingStore => ({
  commit: (...commit) => store.commit(...commit),
  read: (known) =>
    reads.ask(
      () => store.read(known),
      async () => {
        const answer = await standby.read(known)
        // A standby that is behind says nothing of the keys in memory.
        if (answer.hasKnown || known === undefined) return answer
        return { latest: known, hasKnown: true, ring: [] }
      },
    ),
})

/**
 * Requires that this server can decrypt the stored keys, before it writes anything. Otherwise a
 * server with the wrong store or key would create an administrator and then fail. If no keys are
 * stored, the clock must be right, because the first keys and secrets begin with its time.
 *
 * @throws {SigningError} key_encryption_key_wrong, key_encryption_key_missing, sealed_key_corrupt
 * @throws {Error} when the store is empty and the clock differs from that of the database
 */
export async function requireStoredKeys(
  settings: KeySettings,
  store: KeyRingStore,
  clock: AgreedClock,
): Promise<void> {
  const { ring } = await store.read()
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
  { KEY_ENCRYPTION_KEY, DATA_DIR }: KeySettings,
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

type KeyFileOptions = {
  readonly path: string
  /** Whether encrypted keys exist. Then the file must exist too, and is never created. */
  readonly keysExist: boolean
}

/**
 * Reads the key-encryption key from a file of mode 0600. Creates the file if it does not exist and
 * nothing is encrypted yet. Processes that start at the same time agree on one file.
 *
 * @throws {SigningError} key_encryption_key_missing when keys exist and the file does not;
 * key_file_exposed when other users own it or may read it; key_encryption_key_malformed when it
 * contains no key; key_file_unusable when the system cannot read or write it.
 */
export async function keyFromFile({ path, keysExist }: KeyFileOptions): Promise<KeyEncryptionKey> {
  try {
    if (!keysExist && (await readIfThere(path)) === undefined)
      await createSecretFile(path, `${KeyEncryptionKey.generate().toBase64()}\n`)
    return await read(path)
  } catch (cause) {
    if (cause instanceof SigningError) throw cause
    if (keysExist && (cause as NodeJS.ErrnoException).code === 'ENOENT')
      throw new SigningError(
        'key_encryption_key_missing',
        `The stored keys are encrypted, and their key file ${path} is missing. Restore it, or set KEY_ENCRYPTION_KEY. Nothing was changed.`,
        { cause },
      )
    throw new SigningError(
      'key_file_unusable',
      `The key file ${path} cannot be used: ${(cause as Error).message}`,
      { cause },
    )
  }
}

async function read(path: string): Promise<KeyEncryptionKey> {
  const { text, exposure } = await readPrivateFile(path)
  if (exposure !== undefined)
    throw new SigningError('key_file_exposed', `The key file ${path} ${exposure}.`)
  try {
    return KeyEncryptionKey.parse(text.trim())
  } catch (cause) {
    throw new SigningError(
      'key_encryption_key_malformed',
      `The key file ${path} must contain 32 bytes in base64 and nothing else`,
      { cause },
    )
  }
}
