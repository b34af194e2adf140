/** What can go wrong with signing keys, each by its code. */
export type SigningErrorCode =
  /** Not 32 bytes in base64. */
  | 'KEY_ENCRYPTION_KEY_MALFORMED'
  /** The stored keys were encrypted under another key. */
  | 'KEY_ENCRYPTION_KEY_WRONG'
  /** There are stored keys, and nothing to decrypt them with. */
  | 'KEY_ENCRYPTION_KEY_MISSING'
  /** Others than its owner may read the key file. */
  | 'KEY_FILE_EXPOSED'
  /** The key file cannot be read or written. */
  | 'KEY_FILE_UNUSABLE'
  /** The store does not answer: later it may. */
  | 'KEY_RING_SILENT'
  /** What the store holds is not what was put there. */
  | 'SEALED_KEY_CORRUPT'
  /** No published key has this id. */
  | 'SIGNING_KEY_UNKNOWN'

/** A fault of the signing keys, in one sentence for the operator. Never carries key material. */
export class SigningError extends Error {
  override readonly name = 'SigningError'
  readonly code: SigningErrorCode

  constructor(code: SigningErrorCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.code = code
  }
}
