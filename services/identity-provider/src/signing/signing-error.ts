export type SigningErrorCode =
  /** Not 32 bytes in base64. */
  | 'key_encryption_key_malformed'
  /** The stored keys were encrypted with another key. */
  | 'key_encryption_key_wrong'
  /** There are stored keys, but no key to decrypt them. */
  | 'key_encryption_key_missing'
  /** Users other than the owner may read the key file. */
  | 'key_file_exposed'
  /** The key file cannot be read or written. */
  | 'key_file_unusable'
  /** The store does not respond. A later attempt may succeed. */
  | 'key_ring_unavailable'
  /** The store returned different data than was written. */
  | 'sealed_key_corrupt'
  /** No published key has this ID. */
  | 'signing_key_unknown'

/**
 * An error of the signing keys. The message is for the operator and never contains key material.
 */
export class SigningError extends Error {
  override readonly name = 'SigningError'
  readonly code: SigningErrorCode

  constructor(code: SigningErrorCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.code = code
  }
}
