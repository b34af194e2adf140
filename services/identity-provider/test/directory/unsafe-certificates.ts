import { createHash, createPublicKey } from 'node:crypto'
// The library below does not load without it.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import type { KeyCredential } from '../../src/directory/application/key-credential.ts'

const dayMs = 86_400_000
const smallPrimes = [
  2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
  101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
]
const primorial = smallPrimes.reduce((product, prime) => product * BigInt(prime), 1n)

// Only the form of the numbers matters: no test signs with these keys.
const modulusOf = (bits: number) => (1n << BigInt(bits)) - 59n
const weakGeneratorModulus = ((1n << 2047n) / primorial + 1n) * primorial + 1n

const base64url = (number: bigint) => {
  const hex = number.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url')
}

/** RSA public keys that must not verify client assertions, by their fault. */
export const unsafeKeys: Readonly<Record<string, { modulus: bigint; exponent: bigint }>> = {
  'of 1024 bits': { modulus: modulusOf(1024), exponent: 65_537n },
  'of 2047 bits': { modulus: modulusOf(2047), exponent: 65_537n },
  'of 16384 bits with an exponent of 64 bits': {
    modulus: modulusOf(16_384),
    exponent: (1n << 64n) - 1n,
  },
  'of 8193 bits': { modulus: modulusOf(8193), exponent: 65_537n },
  'of 3072 bits with an exponent of 3071 bits': {
    modulus: modulusOf(3072),
    exponent: (1n << 3071n) - 1n,
  },
  'with the exponent 1': { modulus: modulusOf(2048), exponent: 1n },
  'with the exponent 3': { modulus: modulusOf(2048), exponent: 3n },
  'with the exponent 2^32 + 1': { modulus: modulusOf(2048), exponent: (1n << 32n) + 1n },
  'with an even exponent': { modulus: modulusOf(2048), exponent: 65_538n },
  'of a weak generator (CVE-2017-15361)': { modulus: weakGeneratorModulus, exponent: 65_537n },
}

/** A certificate, DER, of a public key that is signed by another key. */
export async function certificateOf(key: { modulus: bigint; exponent: bigint }) {
  const jwk = { kty: 'RSA', n: base64url(key.modulus), e: base64url(key.exponent) }
  const spki = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' })
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=scheduled job',
    issuer: 'CN=scheduled job',
    publicKey: new x509.PublicKey(spki),
    signingKey: keys.privateKey,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + dayMs),
  })
  return new Uint8Array(certificate.rawData)
}

/** A credential of a certificate that was stored before keys were validated. */
export function storedCredential(certificate: Uint8Array): KeyCredential {
  const digest = (name: string) => createHash(name).update(certificate).digest('base64url')
  return {
    keyId: crypto.randomUUID(),
    displayName: null,
    startDateTime: new Date(Date.now() - dayMs),
    endDateTime: new Date(Date.now() + dayMs),
    certificate,
    sha1Thumbprint: digest('sha1'),
    sha256Thumbprint: digest('sha256'),
  }
}
