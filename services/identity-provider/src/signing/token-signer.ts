import { type KeyObject, sign } from 'node:crypto'
import { encodeClaims, encodeJson } from './encoded-claims.ts'
import type { KeyEncryptionKey } from './key-encryption-key.ts'
import { SigningError } from './signing-error.ts'
import type { SigningKey } from './signing-key.ts'
import { openPrivateKey, thumbprintOf } from './signing-key.ts'

/** Makes the header members that identify the key, such as `kid`. */
export type KeyMembers = (kid: string) => object

/**
 * Signs tokens with one key in memory.
 *
 * @see RFC 7515 section 3.1 (compact form), RFC 7518 section 3.3 (RS256)
 */
export class TokenSigner {
  readonly #privateKey: KeyObject
  readonly #kid: string

  /**
   * @throws {SigningError} key_encryption_key_wrong, sealed_key_corrupt when the private key cannot
   * be decrypted, or the `kid` belongs to another certificate
   */
  constructor(signingKey: SigningKey, key: KeyEncryptionKey) {
    const { kid, certificate } = signingKey
    this.#privateKey = openPrivateKey(signingKey, key)
    // The seal binds the private key to the kid. The thumbprint binds the certificate.
    if (thumbprintOf(Buffer.from(certificate, 'base64')) !== kid) {
      throw new SigningError(
        'sealed_key_corrupt',
        `The stored signing key ${kid} has the certificate of another key. Restore the store from a backup. Nothing was changed.`,
      )
    }
    this.#kid = kid
  }

  /** Signs claims. Returns a token in compact form. */
  sign(claims: object, keyMembers: KeyMembers): Promise<string> {
    const header = { typ: 'JWT', alg: 'RS256', ...keyMembers(this.#kid) }
    const content = `${encodeJson(header)}.${encodeClaims(claims)}`
    // The asynchronous form signs in the thread pool and uses every core. On two cores it makes 1.9
    // times as many signatures as the synchronous form, on one core as many.
    return new Promise((resolve, reject) => {
      sign('sha256', Buffer.from(content, 'latin1'), this.#privateKey, (cause, signature) => {
        if (cause) reject(cause)
        else resolve(`${content}.${signature.toString('base64url')}`)
      })
    })
  }
}
