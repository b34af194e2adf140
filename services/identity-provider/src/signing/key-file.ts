import { createSecretFile, readIfThere, readPrivateFile } from '@greeting/directory/files'
import { KeyEncryptionKey } from './key-encryption-key.ts'
import { SigningError } from './signing-error.ts'

export type KeyFileOptions = {
  /** Path of the key file. */
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
    if (keysExist && (cause as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new SigningError(
        'key_encryption_key_missing',
        `The stored keys are encrypted, and their key file ${path} is missing. Restore it, or set KEY_ENCRYPTION_KEY. Nothing was changed.`,
        { cause },
      )
    }
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
