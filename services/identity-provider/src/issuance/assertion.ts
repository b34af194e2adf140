import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { JOSEError } from 'jose/errors'
import { decodeJwt } from 'jose/jwt/decode'
import { type AuthenticationRefusal, type Refused, refuse } from '../refusals/refusal.ts'

/** A client assertion, decoded. Its signature has not been verified. */
export type Assertion = {
  readonly token: string
  /** `typ` of the header in lower case; null without it. */
  readonly type: string | null
  readonly algorithm: string
  /** The name of the key as in the header: the first of `x5t#S256`, `x5t` and `kid`. */
  readonly keyName: string | null
  readonly issuer: string
  readonly subject: string
  readonly audience: string | readonly string[]
  readonly notBefore: Date | null
  readonly issuedAt: Date | null
  readonly expiresAt: Date
  readonly jti: string | null
  readonly claims: Readonly<Record<string, unknown>>
}

/** The limits for the times of an assertion. */
export type AssertionTimes = {
  /** How far the clocks of client and server may differ, in seconds. */
  readonly clockToleranceSeconds: number
  /** How far in the future an assertion may expire, in seconds. */
  readonly maxLifetimeSeconds: number
}

/** The maximum number of seconds until a proof of possession expires (entra E237). */
export const maxPossessionSeconds = 600

/** Characters of an assertion. Assertions of all known clients have at most a quarter of this. */
const maxAssertionLength = 16_384

/**
 * Decodes a client assertion.
 *
 * @param subjectClaim the claim that names the subject: a proof has an issuer only
 * @returns the assertion, or a refusal: `assertion_malformed` or `assertion_claim_missing`
 * @see RFC 7523 section 3, RFC 7515 section 4.1.11, RFC 7797 section 7
 */
export function readAssertion(
  token: string,
  subjectClaim: 'sub' | 'iss' = 'sub',
): Assertion | Refused<AuthenticationRefusal> {
  const parts = decode(token)
  if (parts === undefined) return refuse({ reason: 'assertion_malformed' })
  const { header, claims } = parts
  // No extension is supported. An unencoded payload would be read in another way than it was signed.
  if ('crit' in header || 'b64' in header) return refuse({ reason: 'assertion_malformed' })
  for (const claim of ['iss', subjectClaim, 'aud', 'exp']) {
    if (claims[claim] === undefined) return refuse({ reason: 'assertion_claim_missing', claim })
  }
  const { iss, [subjectClaim]: sub, aud, jti } = claims
  const [notBefore, issuedAt, expiresAt] = [claims.nbf, claims.iat, claims.exp].map(dateOf)
  if (
    typeof iss !== 'string' ||
    typeof sub !== 'string' ||
    !isAudience(aud) ||
    (jti !== undefined && typeof jti !== 'string') ||
    notBefore === undefined ||
    issuedAt === undefined ||
    expiresAt == null
  ) {
    return refuse({ reason: 'assertion_malformed' })
  }
  const keyName = [header['x5t#S256'], header.x5t, header.kid].find((name) => name !== undefined)
  return {
    token,
    type: header.typ === undefined ? null : String(header.typ).toLowerCase(),
    algorithm: String(header.alg),
    keyName: typeof keyName === 'string' ? keyName : null,
    issuer: iss,
    subject: sub,
    audience: aud,
    notBefore,
    issuedAt,
    expiresAt,
    jti: jti ?? null,
    claims,
  }
}

// Another type is another kind of token, such as an access token: RFC 8725 section 3.11.
const types: readonly (string | null)[] = [null, 'jwt', 'http://openid.net/specs/jwt/1.0']

/**
 * Checks the header of an assertion.
 *
 * @returns `undefined`, or a refusal: `assertion_type_unsupported`, `assertion_algorithm_unsupported` or
 *   `assertion_key_missing`
 */
export function headerRefusal(
  { type, algorithm, keyName }: Assertion,
  algorithms: readonly string[],
): Refused<AuthenticationRefusal> | undefined {
  if (!types.includes(type)) return refuse({ reason: 'assertion_type_unsupported' })
  if (!algorithms.includes(algorithm))
    return refuse({ reason: 'assertion_algorithm_unsupported', algorithm })
  return keyName === null ? refuse({ reason: 'assertion_key_missing' }) : undefined
}

/**
 * Checks the times of an assertion.
 *
 * @returns `undefined`, or a refusal: `assertion_time_invalid` or `assertion_lifetime_too_long`
 * @see RFC 7523 section 3, items 4 to 6
 */
export function assertionTimeRefusal(
  { notBefore, issuedAt, expiresAt }: Assertion,
  { clockToleranceSeconds, maxLifetimeSeconds }: AssertionTimes,
  now: Date,
): Refused<AuthenticationRefusal> | undefined {
  const toleranceMs = clockToleranceSeconds * 1000
  const validFrom = notBefore ?? issuedAt
  const hasStarted = validFrom === null || validFrom.getTime() - toleranceMs <= now.getTime()
  if (!hasStarted || expiresAt.getTime() + toleranceMs <= now.getTime())
    return refuse({ reason: 'assertion_time_invalid', now, validFrom, expiresAt })
  const maxRemainingMs = maxLifetimeSeconds * 1000 + toleranceMs
  if (expiresAt.getTime() - now.getTime() > maxRemainingMs)
    return refuse({ reason: 'assertion_lifetime_too_long' })
  return undefined
}

function decode(token: string) {
  if (token.length > maxAssertionLength || token.split('.', 4).length !== 3) return undefined
  try {
    return {
      header: decodeProtectedHeader(token),
      claims: decodeJwt<Record<string, unknown>>(token),
    }
  } catch (cause) {
    if (cause instanceof TypeError || cause instanceof JOSEError) return undefined
    throw cause
  }
}

const isAudience = (aud: unknown): aud is string | string[] =>
  typeof aud === 'string' || (Array.isArray(aud) && aud.every((one) => typeof one === 'string'))

// The start of the year 9999. Later times, with a tolerance added, have no four-digit year, so the
// store could not compare them as texts.
const maxEpochSeconds = 253_370_764_800

/**
 * The time of a claim: null when it is absent, undefined when it is malformed.
 *
 * @see RFC 7519 section 2, NumericDate
 */
function dateOf(claim: unknown): Date | null | undefined {
  if (claim === undefined) return null
  if (typeof claim !== 'number' || !(Math.abs(claim) <= maxEpochSeconds)) return undefined
  return new Date(claim * 1000)
}
