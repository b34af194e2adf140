import type { KeyObject } from 'node:crypto'
import { decodeBase64url } from '../encoding/base64url.ts'
import { isJsonObject } from '../encoding/strict-json.ts'
import { isRoca } from './roca.ts'
import { type SignatureCheck, signatureCheck } from './signature-check.ts'
import { isTestKey } from './test-keys.ts'

/** A public key that may verify RS256 signatures only. */
export type VerificationKey = {
  readonly kid: string
  /** The modulus and exponent as published. The same text means the same key. */
  readonly material: string
  readonly checkSignature: SignatureCheck
  readonly signatureBytes: number
  /** False as soon as the key left its key set. */
  isPublished: boolean
}

/** Why a JSON Web Key is not used. */
export type KeyFault =
  | 'not_an_object'
  | 'kid_unusable'
  | 'kid_ambiguous'
  | 'type_not_rsa'
  | 'algorithm_not_rs256'
  | 'use_not_signature'
  | 'private_members'
  | 'modulus_malformed'
  | 'modulus_too_small'
  | 'modulus_too_large'
  | 'exponent_unsafe'
  | 'modulus_roca'
  | 'test_key'
  | 'other_tenant'
  | 'too_many_keys'

const maxKidBytes = 256
const utf8 = new TextEncoder()
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/**
 * Admits one key of a key set, or returns the reason why not.
 *
 * Node accepts a key with any `use`, strength and exponent. So weak and misplaced keys are rejected
 * here, once for each published key and not for each request.
 *
 * @param tenantId a key with an `issuer` must name this tenant or Entra's `{tenantid}`
 * @param acceptsTestKeys admits the public keys of `@greeting/testing`
 * @see RFC 7517 section 4, RFC 7518 section 6.3.1, RFC 8725 section 3.5
 */
export function admitKey(
  jwk: unknown,
  tenantId: string | undefined,
  acceptsTestKeys = false,
): VerificationKey | KeyFault {
  if (!isJsonObject(jwk)) return 'not_an_object'
  const { kid, kty, alg, n, e, issuer } = jwk
  if (!isUsableKid(kid)) return 'kid_unusable'
  if (kty !== 'RSA') return 'type_not_rsa'
  if (alg !== undefined && alg !== 'RS256') return 'algorithm_not_rs256'
  if (!isForSignatures(jwk)) return 'use_not_signature'
  if (privateMembers.some((member) => member in jwk)) return 'private_members'
  if (tenantId !== undefined && !namesTenant(issuer, tenantId)) return 'other_tenant'

  const bits = modulusBits(n, e)
  if (typeof bits === 'string') return bits
  if (!acceptsTestKeys && isTestKey(n)) return 'test_key'

  // Only these three members reach the library, so no other member can change the key.
  const checkSignature = signatureCheck({ kty, n: `${n}`, e: `${e}` })
  if (checkSignature === undefined) return 'exponent_unsafe'
  const signatureBytes = Math.ceil(bits / 8)
  return { kid, material: `${n}.${e}`, checkSignature, signatureBytes, isPublished: true }
}

/**
 * Checks an RSA public key from another source, such as a certificate. The rules are those for
 * published keys: 2048 to 8192 bits, an odd exponent from 65537 up to 2^32, not from the flawed
 * generator of CVE-2017-15361, and no public key of `@greeting/testing`.
 *
 * @returns the fault, or undefined if the key may be used
 * @example
 * rsaKeyFault(new X509Certificate(pem).publicKey) // undefined
 */
export function rsaKeyFault(publicKey: KeyObject): KeyFault | undefined {
  if (publicKey.asymmetricKeyType !== 'rsa') return 'type_not_rsa'
  const { n, e } = publicKey.export({ format: 'jwk' })
  const bits = modulusBits(n, e)
  if (typeof bits === 'string') return bits
  return isTestKey(n) ? 'test_key' : undefined
}

/** The size of a modulus, or the fault of the modulus or the exponent. */
function modulusBits(n: unknown, e: unknown): number | KeyFault {
  const modulus = unsignedInteger(n)
  if (modulus === undefined || modulus % 2n === 0n) return 'modulus_malformed'
  const bits = modulus.toString(2).length
  if (bits < 2048) return 'modulus_too_small'
  if (bits > 8192) return 'modulus_too_large'
  const exponent = unsignedInteger(e)
  if (exponent === undefined || !isSafeExponent(exponent)) return 'exponent_unsafe'
  if (isRoca(modulus)) return 'modulus_roca'
  return bits
}

/**
 * True if the private part of this key signed the input with RS256.
 *
 * @see RFC 8017 section 8.2.2
 */
export function isSignedBy(
  key: VerificationKey,
  input: string,
  signature: Uint8Array<ArrayBuffer>,
): boolean | Promise<boolean> {
  return signature.length === key.signatureBytes && key.checkSignature(input, signature)
}

/** True for a `kid` of 1 to 256 bytes. It is only compared, never interpreted. */
export function isUsableKid(kid: unknown): kid is string {
  return typeof kid === 'string' && kid !== '' && utf8.encode(kid).length <= maxKidBytes
}

function isForSignatures({ use, key_ops }: Record<string, unknown>): boolean {
  if (use !== undefined && use !== 'sig') return false
  if (key_ops === undefined) return true
  return Array.isArray(key_ops) && key_ops.length === 1 && key_ops[0] === 'verify'
}

// Entra's shared key set also contains keys of other tenants, each with its `issuer` (entra E81).
function namesTenant(issuer: unknown, tenantId: string): boolean {
  if (issuer === undefined) return true
  if (typeof issuer !== 'string') return false
  const segments = issuer.split('/')
  return segments.includes('{tenantid}') || segments.includes(tenantId)
}

function unsignedInteger(text: unknown): bigint | undefined {
  const bytes = typeof text === 'string' ? decodeBase64url(text) : undefined
  if (bytes === undefined || bytes.length === 0 || bytes[0] === 0) return undefined
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
  return BigInt(`0x${digits.join('')}`)
}

// A large exponent makes each verification slow. Exponents in use are at most 65537.
function isSafeExponent(exponent: bigint): boolean {
  return exponent >= 65537n && exponent < 1n << 32n && exponent % 2n === 1n
}
