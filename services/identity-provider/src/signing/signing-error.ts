/** What can go wrong with signing keys, each by its code. */
export type SigningErrorCode =
  /** Not 32 bytes in base64. */
  | 'key_encryption_key_malformed'
  /** The stored keys were encrypted under another key. */
  | 'key_encryption_key_wrong'
  /** There are stored keys, and nothing to decrypt them with. */
  | 'key_encryption_key_missing'
  /** Others than its owner may read the key file. */
  | 'key_file_exposed'
  /** The key file cannot be read or written. */
  | 'key_file_unusable'
  /** The store does not answer: later it may. */
  | 'key_ring_unavailable'
  /** What the store holds is not what was put there. */
  | 'sealed_key_corrupt'
  /** No published key has this id. */
  | 'signing_key_unknown'

/** A fault of the signing keys, in one sentence for the operator. Never carries key material. */
export class SigningError extends Error {
  override readonly name = 'SigningError'
  readonly code: SigningErrorCode

  constructor(code: SigningErrorCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.code = code
  }
}
