import { forWebCrypto, repeatingRsaKeyPair } from '../../../../fixtures/rsa-key-pair.ts'
import type { KeyEncryptionKey } from '../../src/signing/key-encryption-key.ts'
import { generateSigningKey } from '../../src/signing/signing-key-generation.ts'

/** Makes a signing key with a new certificate for an RSA key of the fixtures. */
export const fixtureSigningKey = (keyEncryptionKey: KeyEncryptionKey, now: Date) =>
  generateSigningKey(keyEncryptionKey, now, () => forWebCrypto(repeatingRsaKeyPair()))
