import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { decodeBase64url } from '../encoding/base64url.ts'
import { isJsonObject } from '../encoding/strict-json.ts'
import { isRoca } from './roca.ts'

/** A public key that may verify RS256 signatures, and nothing else. */
export type VerificationKey = {
  readonly kid: string
  /** The modulus and exponent as published: the same text is the same key. */
  readonly material: string
  readonly publicKey: KeyObject
  readonly signatureBytes: number
  /** False from the moment that the key has left its key set. */
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
  | 'other_tenant'

const longestKidBytes = 256
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/**
 * Admits one member of a published key set, or says why not.
 *
 * Node takes a key whatever its `use`, its strength or its exponent, so this is where weak and
 * misplaced keys stop: once for each published key, never once for each request.
 *
 * @param tenantId a key that names its issuer must name this tenant or Entra's `{tenantid}`
 * @see RFC 7517 section 4, RFC 7518 section 6.3.1, RFC 8725 section 3.5
 */
export function admitKey(jwk: unknown, tenantId: string | undefined): VerificationKey | KeyFault {
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

  // Only these three members reach the library: nothing else of the JWK can change what it makes.
  const publicKey = createPublicKey({ key: { kty, n: `${n}`, e: `${e}` }, format: 'jwk' })
  const signatureBytes = Math.ceil(bits / 8)
  return { kid, material: `${n}.${e}`, publicKey, signatureBytes, isPublished: true }
}

/**
 * Says why an RSA public key from elsewhere, such as a certificate, must not verify signatures. The
 * rules are those for published keys: 2048 to 8192 bits, an odd exponent from 65537 up to 2^32, and
 * not from the flawed generator of CVE-2017-15361.
 *
 * @returns undefined when the key may be used.
 * @example
 * rsaKeyFault(new X509Certificate(pem).publicKey) // undefined
 */
export function rsaKeyFault(publicKey: KeyObject): KeyFault | undefined {
  if (publicKey.asymmetricKeyType !== 'rsa') return 'type_not_rsa'
  const { n, e } = publicKey.export({ format: 'jwk' })
  const bits = modulusBits(n, e)
  return typeof bits === 'string' ? bits : undefined
}

/** The size of a modulus, or why these two numbers are no key to rely on. */
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
 * True when the signature over the input was made by the private half of this key, with RS256:
 * the algorithm is a constant here, whatever a token or a key says.
 *
 * @see RFC 7518 section 3.3
 */
export function isSignedBy(key: VerificationKey, input: string, signature: Uint8Array): boolean {
  return (
    signature.length === key.signatureBytes &&
    verify('RSA-SHA256', Buffer.from(input, 'latin1'), key.publicKey, signature)
  )
}

/** A `kid` is only ever compared, but nobody needs more than 256 bytes to name a key. */
export function isUsableKid(kid: unknown): kid is string {
  return typeof kid === 'string' && kid !== '' && Buffer.byteLength(kid) <= longestKidBytes
}

function isForSignatures({ use, key_ops }: Record<string, unknown>): boolean {
  if (use !== undefined && use !== 'sig') return false
  if (key_ops === undefined) return true
  return Array.isArray(key_ops) && key_ops.length === 1 && key_ops[0] === 'verify'
}

// Entra's shared key set also carries the keys of other tenants, each named by its `issuer` (entra E81).
function namesTenant(issuer: unknown, tenantId: string): boolean {
  if (issuer === undefined) return true
  if (typeof issuer !== 'string') return false
  const segments = issuer.split('/')
  return segments.includes('{tenantid}') || segments.includes(tenantId)
}

function unsignedInteger(text: unknown): bigint | undefined {
  const bytes = typeof text === 'string' ? decodeBase64url(text) : undefined
  if (bytes === undefined || bytes.length === 0 || bytes[0] === 0) return undefined
  return BigInt(`0x${bytes.toString('hex')}`)
}

// A large exponent makes each verification slow; none in use is above 65537.
function isSafeExponent(exponent: bigint): boolean {
  return exponent >= 65537n && exponent < 1n << 32n && exponent % 2n === 1n
}
