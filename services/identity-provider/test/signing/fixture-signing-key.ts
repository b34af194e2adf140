import {
  forWebCrypto,
  type RsaKeyPair,
  repeatingRsaKeyPair,
} from '../../../../test/fixtures/rsa-key-pair.ts'
import type { KeyEncryptionKey } from '../../src/signing/key-encryption-key.ts'
import {
  type CertifiedKey,
  generateCertifiedKey,
  sealSigningKey,
  signingKeyName,
} from '../../src/signing/signing-key-generation.ts'

/** By the start of their validity, in epoch milliseconds. A certificate takes 9 ms of processor time. */
const certified = new WeakMap<RsaKeyPair, Map<number, CertifiedKey>>()

/** Returns one of the 16 RSA keys of the fixtures in turn, with a certificate that begins at that time. */
export async function fixtureSigningKey(keyEncryptionKey: KeyEncryptionKey, now: Date) {
  const pair = repeatingRsaKeyPair()
  const byTime = certified.get(pair) ?? new Map<number, CertifiedKey>()
  certified.set(pair, byTime)
  const generate = () => generateCertifiedKey(signingKeyName, now, () => forWebCrypto(pair))
  const key = byTime.get(now.getTime()) ?? (await generate())
  byTime.set(now.getTime(), key)
  return sealSigningKey(keyEncryptionKey, key)
}
