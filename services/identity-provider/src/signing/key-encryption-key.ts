import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { SigningError } from './signing-error.ts'

const cipher = 'aes-256-gcm'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const format = 'v1'
const base64Of32Bytes = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

/**
 * The key that encrypts the secrets of this server at rest, with AES-256-GCM.
 *
 * The result is text: `v1.<id of the key>.<nonce>.<ciphertext and tag>`. It contains the ID of the
 * key, so that a wrong key and damaged data are distinguishable.
 *
 * @example
 * const key = KeyEncryptionKey.generate()
 * const sealed = key.seal(Buffer.from('private'), 'kid-1')
 * key.open(sealed, 'kid-1').toString() // 'private'
 */
export class KeyEncryptionKey {
  /** An ID that does not reveal the key: 16 hexadecimal digits. */
  readonly id: string
  readonly #bytes: Buffer

  private constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.id = createHmac('sha256', bytes).update('key id').digest('hex').slice(0, 16)
  }

  /**
   * Reads a key from base64 (RFC 4648 section 4) of exactly 32 bytes, as `openssl rand -base64 32`
   * prints.
   *
   * @throws {SigningError} key_encryption_key_malformed when it is anything else.
   */
  static parse(base64: string): KeyEncryptionKey {
    if (!base64Of32Bytes.test(base64))
      throw new SigningError(
        'key_encryption_key_malformed',
        'The key-encryption key must be 32 bytes in base64, as `openssl rand -base64 32` prints them',
      )
    return new KeyEncryptionKey(Buffer.from(base64, 'base64'))
  }

  /** Generates a key with the system's generator. */
  static generate(): KeyEncryptionKey {
    return new KeyEncryptionKey(randomBytes(keyBytes))
  }

  /** The ID of the key that encrypted a value. */
  static idOf(sealed: string): string {
    return sealed.split('.')[1] ?? ''
  }

  /** The key in the form that `parse` reads. For the key file only. */
  toBase64(): string {
    return this.#bytes.toString('base64')
  }

  /**
   * Derives a key of 32 bytes for another purpose. It is the same on all replicas, and does not
   * reveal this key.
   */
  derive(purpose: string): Uint8Array {
    return new Uint8Array(hkdfSync('sha256', this.#bytes, '', purpose, keyBytes))
  }

  /**
   * Encrypts a value and binds it to a name. It can be decrypted only with the same key and name,
   * so that a sealed value cannot replace another.
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
   * Decrypts a value of `seal` with this key and this name.
   *
   * @throws {SigningError} key_encryption_key_wrong when another key encrypted it;
   * sealed_key_corrupt when this key encrypted it, and it is damaged or bound to another name.
   */
  open(sealed: string, name: string): Buffer {
    const [version, id, nonceText = '', ciphertextText = '', ...rest] = sealed.split('.')
    const ciphertext = Buffer.from(ciphertextText, 'base64url')
    if (version !== format || rest.length > 0 || ciphertext.length < tagBytes) throw corrupt(name)
    if (id !== this.id)
      throw new SigningError(
        'key_encryption_key_wrong',
        `The stored keys are encrypted with the key-encryption key ${id}, but the settings contain the key ${this.id}. Set the key ${id}. Nothing was changed.`,
      )
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
    `The stored private key ${name} is damaged. Restore the store from a backup. Nothing was changed.`,
    { cause },
  )
