import { decodeJwt, decodeProtectedHeader, errors } from 'jose'
import { refuse } from './refusal.ts'

/** A client assertion, taken apart and not yet believed. */
export type Assertion = {
  readonly token: string
  readonly algorithm: string
  /** How the header names the key, as it was written: the best of the names that it gives. */
  readonly keyName: string | null
  readonly issuer: string
  readonly subject: string
  readonly audience: string | readonly string[]
  readonly notBefore: Date | null
  readonly issuedAt: Date | null
  readonly expiresAt: Date
  readonly jti: string | null
}

/** An assertion of every client that we know fits in a quarter of this. */
const maxLength = 16_384

/**
 * Takes a client assertion apart.
 *
 * @throws {RefusedError} assertion_malformed, assertion_claim_missing
 * @see RFC 7523 §3, RFC 7515 §4.1.11, RFC 7797 §7
 */
export function readAssertion(token: string): Assertion {
  const { header, claims } = decode(token)
  // No extension is supported. An unencoded payload would be read otherwise than it was signed.
  if ('crit' in header || 'b64' in header) refuse({ reason: 'assertion_malformed' })
  for (const claim of ['iss', 'sub', 'aud', 'exp'])
    if (claims[claim] === undefined) refuse({ reason: 'assertion_claim_missing', claim })
  const { iss, sub, aud, jti } = claims
  if (typeof iss !== 'string' || typeof sub !== 'string' || !isAudience(aud))
    return refuse({ reason: 'assertion_malformed' })
  if (jti !== undefined && typeof jti !== 'string') refuse({ reason: 'assertion_malformed' })
  const keyName = [header['x5t#S256'], header.x5t, header.kid].find((name) => name !== undefined)
  return {
    token,
    algorithm: String(header.alg),
    keyName: typeof keyName === 'string' ? keyName : null,
    issuer: iss,
    subject: sub,
    audience: aud,
    notBefore: dateOf(claims.nbf),
    issuedAt: dateOf(claims.iat),
    expiresAt: dateOf(claims.exp) ?? refuse({ reason: 'assertion_malformed' }),
    jti: jti ?? null,
  }
}

function decode(token: string) {
  if (token.length > maxLength || token.split('.', 4).length !== 3)
    refuse({ reason: 'assertion_malformed' })
  try {
    return {
      header: decodeProtectedHeader(token),
      claims: decodeJwt<Record<string, unknown>>(token),
    }
  } catch (cause) {
    if (cause instanceof TypeError || cause instanceof errors.JOSEError)
      return refuse({ reason: 'assertion_malformed' }, { cause })
    throw cause
  }
}

const isAudience = (aud: unknown): aud is string | string[] =>
  typeof aud === 'string' || (Array.isArray(aud) && aud.every((one) => typeof one === 'string'))

// The start of the year 9999. Later times, with a tolerance added, have no four-digit year, so the
// store could not compare them as texts.
const maxSeconds = 253_370_764_800

/** @see RFC 7519 §2, NumericDate */
function dateOf(claim: unknown): Date | null {
  if (claim === undefined) return null
  if (typeof claim !== 'number' || !(Math.abs(claim) <= maxSeconds))
    return refuse({ reason: 'assertion_malformed' })
  return new Date(claim * 1000)
}
