import type { NewSigningKey } from '@greeting/directory/keys'
import { supplyTestKeys } from '@greeting/lab'
import type { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import { thumbprintOf } from '../signing/signing-key.ts'
import { generateSigningKey } from '../signing/signing-key-generation.ts'

/** Supplies the public test keys one by one, and then generates further keys. */
export class TestKeySupply {
  #used = 0

  /** The number of keys that were supplied. */
  get used(): number {
    return this.#used
  }

  /** Continues after this number of keys. */
  rewind(used: number): void {
    this.#used = used
  }

  next = async (keyEncryptionKey: KeyEncryptionKey, now: Date): Promise<NewSigningKey> => {
    const key = supplyTestKeys[this.#used]
    this.#used += 1
    if (key === undefined) return generateSigningKey(keyEncryptionKey, now)
    const { certificate, privateKey } = key
    const kid = thumbprintOf(Buffer.from(certificate, 'base64'))
    const sealedPrivateKey = keyEncryptionKey.seal(Buffer.from(privateKey, 'base64'), kid)
    return { kid, certificate, sealedPrivateKey }
  }
}
