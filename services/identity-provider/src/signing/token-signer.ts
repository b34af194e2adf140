import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import type { KeyEncryptionKey } from './key-encryption-key.ts'
import { SigningError } from './signing-error.ts'
import type { SigningKey } from './signing-key.ts'
import { thumbprintOf } from './signing-key-generation.ts'

/** Which members of the header name the key. */
export type TokenHeader = 'x5t and kid' | 'kid'

/**
 * Signs tokens with one key that is held in memory.
 *
 * @see RFC 7515 §3.1 (compact form), RFC 7518 §3.3 (RS256)
 */
export class TokenSigner {
  readonly #privateKey: KeyObject
  readonly #headers: Readonly<Record<TokenHeader, string>>

  /**
   * @throws {SigningError} key_encryption_key_wrong, sealed_key_corrupt when the private key cannot
   *   be opened, or the certificate is not the one that the `kid` names.
   */
  constructor({ kid, certificate, sealedPrivateKey }: SigningKey, key: KeyEncryptionKey) {
    const pkcs8 = key.open(sealedPrivateKey, kid)
    this.#privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
    pkcs8.fill(0)
    // The private key is bound to the kid by its seal, the certificate by its thumbprint.
    if (thumbprintOf(Buffer.from(certificate, 'base64')) !== kid) {
      throw new SigningError(
        'sealed_key_corrupt',
        `The certificate of the stored signing key ${kid} is another: restore the store from a backup. Nothing was changed.`,
      )
    }
    this.#headers = {
      'x5t and kid': encoded({ typ: 'JWT', alg: 'RS256', x5t: kid, kid }),
      kid: encoded({ typ: 'JWT', alg: 'RS256', kid }),
    }
  }

  /** The claims as a signed token in compact form. */
  sign(claims: object, header: TokenHeader): Promise<string> {
    const content = `${this.#headers[header]}.${encoded(claims)}`
    // The asynchronous form signs in the thread pool, so that every core signs: measured 1.9 times
    // the signatures of the synchronous one on two cores, and as many on one.
    return new Promise((resolve, reject) => {
      sign('sha256', Buffer.from(content), this.#privateKey, (cause, signature) => {
        if (cause) reject(cause)
        else resolve(`${content}.${signature.toString('base64url')}`)
      })
    })
  }
}

const encoded = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')
