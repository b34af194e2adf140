import type { KeyEncryptionKey } from './key-encryption-key.ts'
import { type PublishedKey, publishedKey } from './published-key.ts'
import type { SigningKey } from './signing-key.ts'
import { TokenSigner } from './token-signer.ts'

type LoadedKey = { readonly published: PublishedKey; readonly signer: () => TokenSigner }

/** The keys of a ring as they are used: public halves as entries, private halves opened once. */
export class KeyCache {
  readonly #keyEncryptionKey: KeyEncryptionKey
  #keys: ReadonlyMap<string, LoadedKey> = new Map()

  constructor(keyEncryptionKey: KeyEncryptionKey) {
    this.#keyEncryptionKey = keyEncryptionKey
  }

  /** Holds these keys and no others; those held already are kept as they are. */
  hold(ring: readonly SigningKey[]): void {
    this.#keys = new Map(ring.map((key) => [key.kid, this.#keys.get(key.kid) ?? this.#load(key)]))
  }

  /** The entry of the key set for a key that is held. */
  published = (kid: string): PublishedKey => this.#held(kid).published

  /**
   * The signer of a key that is held.
   *
   * @throws {SigningError} key_encryption_key_wrong, sealed_key_corrupt when it cannot be opened.
   */
  signer = (kid: string): TokenSigner => this.#held(kid).signer()

  #held(kid: string): LoadedKey {
    const key = this.#keys.get(kid)
    if (key === undefined) throw new TypeError(`No key ${kid} is held.`)
    return key
  }

  #load(key: SigningKey): LoadedKey {
    let signer: TokenSigner | undefined
    let fault: unknown
    try {
      signer = new TokenSigner(key, this.#keyEncryptionKey)
    } catch (cause) {
      // Announced by a replica that has a newer key-encryption key: published, but not for this one
      // to sign with.
      fault = cause
    }
    return {
      published: publishedKey(key),
      signer: () => {
        if (signer === undefined) throw fault
        return signer
      },
    }
  }
}
