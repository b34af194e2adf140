import { KeyEncryptionKey } from '@greeting/identity-provider/parts/signing/key-encryption-key'
import { SigningError } from '@greeting/identity-provider/parts/signing/signing-error'
import type { z } from 'zod'

/**
 * Values that a browser keeps, and can neither read nor change. All replicas with one key-encryption
 * key accept them.
 */
export class SealedValues {
  readonly #key: KeyEncryptionKey

  constructor(keyEncryptionKey: KeyEncryptionKey) {
    const derived = keyEncryptionKey.derive('values that the portal seals')
    this.#key = KeyEncryptionKey.parse(Buffer.from(derived).toString('base64'))
  }

  /** @param purpose a value that is sealed for one purpose cannot be opened for another */
  seal(purpose: string, value: object): string {
    return this.#key.seal(Buffer.from(JSON.stringify(value)), purpose)
  }

  /** @returns the value, or undefined when this server did not seal it for this purpose */
  open<Value>(purpose: string, sealed: string, schema: z.ZodType<Value>): Value | undefined {
    try {
      return schema.safeParse(JSON.parse(this.#key.open(sealed, purpose).toString())).data
    } catch (cause) {
      if (cause instanceof SigningError) return undefined
      throw cause
    }
  }
}
