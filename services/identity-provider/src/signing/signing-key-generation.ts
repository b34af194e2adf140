import { KeyObject } from 'node:crypto'
import type { NewSigningKey } from '@greeting/directory/keys'
import { commonName, extensions, makeCertificate } from '../certificates/certificate.ts'
import type { KeyEncryptionKey } from './key-encryption-key.ts'
import { thumbprintOf } from './signing-key.ts'

const algorithm = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
}
/** The common name of the certificates of signing keys. */
export const signingKeyName = 'Greeting identity provider token signing'
const validityYears = 5
/** Earlier start, for verifiers with late clocks. */
const backdatedMs = 3_600_000

/** A private key, and its certificate in DER. */
export type CertifiedKey = { readonly certificate: Buffer; readonly privateKey: KeyObject }

const newKeyPair = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

/**
 * Generates an RSA-2048 key pair with a self-signed certificate for five years.
 *
 * @param name common name of the certificate
 * @param keyPairOf generates the key pair
 */
export async function generateCertifiedKey(
  name: string,
  now: Date,
  keyPairOf: () => CryptoKeyPair | Promise<CryptoKeyPair> = newKeyPair,
): Promise<CertifiedKey> {
  const keys = await keyPairOf()
  const notAfter = new Date(now)
  notAfter.setUTCFullYear(now.getUTCFullYear() + validityYears)
  const privateKey = KeyObject.from(keys.privateKey)
  const subject = commonName(name)
  const certificate = makeCertificate({
    subject,
    issuer: subject,
    publicKey: KeyObject.from(keys.publicKey),
    signingKey: privateKey,
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter,
    extensions: [extensions.noAuthority, extensions.signsData],
  })
  return { certificate: certificate.raw, privateKey }
}

/**
 * Generates an RSA-2048 key pair with a self-signed certificate and an encrypted private key.
 *
 * @see RFC 7517 section 4.7 (x5c), section 4.8 (x5t)
 */
export async function generateSigningKey(
  keyEncryptionKey: KeyEncryptionKey,
  now: Date,
): Promise<NewSigningKey> {
  return sealSigningKey(keyEncryptionKey, await generateCertifiedKey(signingKeyName, now))
}

/** Encrypts the private key of a certificate, and names it after the certificate. */
export function sealSigningKey(
  keyEncryptionKey: KeyEncryptionKey,
  { certificate, privateKey: key }: CertifiedKey,
): NewSigningKey {
  const kid = thumbprintOf(certificate)
  const privateKey = key.export({ type: 'pkcs8', format: 'der' })
  try {
    return {
      kid,
      certificate: certificate.toString('base64'),
      sealedPrivateKey: keyEncryptionKey.seal(privateKey, kid),
    }
  } finally {
    privateKey.fill(0)
  }
}
