import type { SigningKey } from '@greeting/directory/keys'
import type { KeyEncryptionKey } from './key-encryption-key.ts'
import { type PublishedKey, publishedKey } from './signing-key.ts'
import { TokenSigner } from './token-signer.ts'

type LoadedKey = { readonly published: PublishedKey; readonly signer: () => TokenSigner }

/** The decrypted keys of a ring: the public entries and the private keys. */
export class KeyCache {
  readonly #keyEncryptionKey: KeyEncryptionKey
  #keys: ReadonlyMap<string, LoadedKey> = new Map()

  constructor(keyEncryptionKey: KeyEncryptionKey) {
    this.#keyEncryptionKey = keyEncryptionKey
  }

  /** Keeps exactly these keys. Keys that are present already are not decrypted again. */
  hold(ring: readonly SigningKey[]): void {
    this.#keys = new Map(ring.map((key) => [key.kid, this.#keys.get(key.kid) ?? this.#load(key)]))
  }

  /** The key set entry of a key. */
  published = (kid: string): PublishedKey => this.#held(kid).published

  /**
   * The signer of a key.
   *
   * @throws {SigningError} key_encryption_key_wrong, sealed_key_corrupt when it cannot be decrypted.
   */
  signer = (kid: string): TokenSigner => this.#held(kid).signer()

  #held(kid: string): LoadedKey {
    const key = this.#keys.get(kid)
    if (key === undefined) throw new TypeError(`The key ${kid} is not in the cache`)
    return key
  }

  #load(key: SigningKey): LoadedKey {
    let signer: TokenSigner | undefined
    let fault: unknown
    try {
      signer = new TokenSigner(key, this.#keyEncryptionKey)
    } catch (cause) {
      // A replica with a newer key-encryption key announced it: this process publishes the key, but
      // cannot sign with it.
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
