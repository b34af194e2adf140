import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { KeyEncryptionKey } from './key-encryption-key.ts'
import type { NewSigningKey } from './signing-key.ts'

/**
 * Decrypts a private key.
 *
 * @throws {SigningError} key_encryption_key_wrong, sealed_key_corrupt when it cannot be decrypted
 */
export function openPrivateKey(
  { kid, sealedPrivateKey }: Pick<NewSigningKey, 'kid' | 'sealedPrivateKey'>,
  key: KeyEncryptionKey,
): KeyObject {
  const pkcs8 = key.open(sealedPrivateKey, kid)
  const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  pkcs8.fill(0)
  return privateKey
}
