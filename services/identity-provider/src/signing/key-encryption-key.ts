import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { SigningError } from './signing-error.ts'

const cipher = 'aes-256-gcm'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const format = 'v1'
const base64Of32Bytes = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

/**
 * The key under which secrets of this server are encrypted at rest, by AES-256-GCM.
 *
 * What it seals is text, `v1.<id of the key>.<nonce>.<ciphertext and tag>`, and says under which
 * key it was sealed, so that a wrong key and damaged data are told apart.
 *
 * @example
 * const key = KeyEncryptionKey.generate()
 * const sealed = key.seal(Buffer.from('private'), 'kid-1')
 * key.open(sealed, 'kid-1').toString() // 'private'
 */
export class KeyEncryptionKey {
  /** Names the key without telling it: 16 hexadecimal digits. */
  readonly id: string
  readonly #bytes: Buffer

  private constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.id = createHmac('sha256', bytes).update('key id').digest('hex').slice(0, 16)
  }

  /**
   * Reads a key from base64 (RFC 4648 §4) of exactly 32 bytes, as `openssl rand -base64 32` prints.
   *
   * @throws {SigningError} key_encryption_key_malformed when it is anything else.
   */
  static parse(base64: string): KeyEncryptionKey {
    if (!base64Of32Bytes.test(base64)) {
      throw new SigningError(
        'key_encryption_key_malformed',
        'The key-encryption key must be the base64 form of 32 bytes, as `openssl rand -base64 32` prints it.',
      )
    }
    return new KeyEncryptionKey(Buffer.from(base64, 'base64'))
  }

  /** A new key from the system's generator. */
  static generate(): KeyEncryptionKey {
    return new KeyEncryptionKey(randomBytes(keyBytes))
  }

  /** The id of the key that something was sealed under. */
  static idOf(sealed: string): string {
    return sealed.split('.')[1] ?? ''
  }

  /** The key itself, in the form that `parse` reads. For the key file only. */
  toBase64(): string {
    return this.#bytes.toString('base64')
  }

  /** A key of 32 bytes for something else, that tells nothing of this one. The same on all replicas. */
  derive(purpose: string): Uint8Array {
    return new Uint8Array(hkdfSync('sha256', this.#bytes, '', purpose, keyBytes))
  }

  /**
   * Encrypts, and binds the result to a name: it opens only under the same key and the same name,
   * so a sealed value cannot take the place of another.
   */
  seal(plaintext: Uint8Array, name: string): string {
    const nonce = randomBytes(nonceBytes)
    const sealing = createCipheriv(cipher, this.#bytes, nonce, { authTagLength: tagBytes })
    sealing.setAAD(Buffer.from(name))
    const ciphertext = Buffer.concat([
      sealing.update(plaintext),
      sealing.final(),
      sealing.getAuthTag(),
    ])
    return [format, this.id, nonce.toString('base64url'), ciphertext.toString('base64url')].join(
      '.',
    )
  }

  /**
   * Decrypts what `seal` made under this key and this name.
   *
   * @throws {SigningError} key_encryption_key_wrong when it was sealed under another key;
   *   sealed_key_corrupt when it was sealed under this one and is damaged, or bound to another name.
   */
  open(sealed: string, name: string): Buffer {
    const [version, id, nonceText = '', ciphertextText = '', ...rest] = sealed.split('.')
    const ciphertext = Buffer.from(ciphertextText, 'base64url')
    if (version !== format || rest.length > 0 || ciphertext.length < tagBytes) {
      throw corrupt(name)
    }
    if (id !== this.id) {
      throw new SigningError(
        'key_encryption_key_wrong',
        `The stored keys are encrypted under another key-encryption key (id ${id}) than the one given (id ${this.id}): give the one they were written with. Nothing was changed.`,
      )
    }
    try {
      const opening = createDecipheriv(cipher, this.#bytes, Buffer.from(nonceText, 'base64url'), {
        authTagLength: tagBytes,
      })
      opening.setAAD(Buffer.from(name))
      opening.setAuthTag(ciphertext.subarray(-tagBytes))
      return Buffer.concat([opening.update(ciphertext.subarray(0, -tagBytes)), opening.final()])
    } catch (cause) {
      throw corrupt(name, cause)
    }
  }
}

const corrupt = (name: string, cause?: unknown) =>
  new SigningError(
    'sealed_key_corrupt',
    `The stored private key ${name} is damaged: restore the store from a backup. Nothing was changed.`,
    { cause },
  )
