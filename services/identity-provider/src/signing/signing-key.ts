import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { NewSigningKey } from '@greeting/directory/keys'
import type { KeyEncryptionKey } from './key-encryption-key.ts'

/**
 * The public part of a signing key as an entry of the key set. It has no `alg`, as in Entra. A
 * dialect adds its members after these.
 *
 * @see RFC 7517 section 4, RFC 7518 section 6.3.1
 */
export type PublishedKey = {
  readonly kty: 'RSA'
  readonly use: 'sig'
  readonly kid: string
  readonly x5t: string
  readonly n: string
  readonly e: string
  readonly x5c: readonly [string]
}

/** Creates the key set entry of a signing key from its certificate. */
export function publishedKey({ kid, certificate }: NewSigningKey): PublishedKey {
  const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'))
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
  return { kty: 'RSA', use: 'sig', kid, x5t: kid, n, e, x5c: [certificate] }
}

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

/** SHA-1 of a certificate's DER in base64url: the `x5t`, and also the `kid` (entra E79). */
export const thumbprintOf = (der: Uint8Array): string =>
  createHash('sha1').update(der).digest('base64url')
