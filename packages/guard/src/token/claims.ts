import type { Caller } from '../caller.ts'
import { isJsonObject } from '../encoding/strict-json.ts'
import type { TrustedIssuer } from '../options-schema.ts'
import type { RefusalReason } from '../refusal.ts'
import type { DeclaredRoles } from './declared-roles.ts'

/** The claims of a valid token that are used. */
export type VerifiedClaims<Role extends string> = {
  readonly caller: Caller<Role>
  /** Start of validity in seconds since the epoch: the later of `nbf` and `iat`. The end is `caller.expiresAt`. */
  readonly notBefore: number
  /** The `x5t#S256` of the certificate to which the token is bound. */
  readonly boundTo: string | undefined
}

/**
 * Claims of other kinds of tokens: id tokens, logout tokens and other event tokens, DPoP proofs, and
 * tokens that act for a user. The same keys sign them, but they are not access tokens for this API.
 *
 * @see RFC 8725 section 3.12
 */
const foreignClaims = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events', 'htm', 'htu', 'scp']

/**
 * Checks the claims of a token. A key of this issuer must have verified its signature.
 *
 * @see RFC 9068 section 4, RFC 7519 section 4.1
 */
export function checkClaims<Role extends string>(
  claims: Readonly<Record<string, unknown>>,
  issuer: TrustedIssuer,
  roles: DeclaredRoles<Role>,
): VerifiedClaims<Role> | RefusalReason {
  // 1. The issuer, the tenant and the audience are the expected ones.
  if (claims.iss !== issuer.issuer) return 'issuer_not_trusted'
  if (issuer.tenantId !== undefined && claims.tid !== issuer.tenantId) return 'tenant_not_trusted'
  if (!isForAudience(claims.aud, issuer.audiences)) return 'audience_not_ours'

  // 2. It is an access token of an application, in the version of this issuer.
  if (foreignClaims.some((claim) => claim in claims)) return 'type_not_access_token'
  if (claims.idtyp !== undefined && claims.idtyp !== 'app') return 'type_not_access_token'
  if (!isInVersion(claims.ver, issuer.tokenVersion)) return 'claims_malformed'
  const { sub, oid } = claims
  const applicationId = claims[issuer.claims.applicationId]
  const tokenId = claims[issuer.claims.tokenId]
  if (!isName(applicationId) || !isName(sub)) return 'claims_malformed'
  if (!isAbsentOrName(oid) || !isAbsentOrName(tokenId)) return 'claims_malformed'

  // 3. Its times are numbers.
  const { iat, nbf = iat, exp } = claims
  if (!isInstant(iat) || !isInstant(nbf) || !isInstant(exp)) return 'claims_malformed'

  // 4. Its binding, if any, is a certificate.
  const boundTo = claims.cnf === undefined ? undefined : thumbprintOf(claims.cnf)
  if (boundTo === null) return 'binding_not_proven'

  const caller: Caller<Role> = {
    outcome: 'admitted',
    applicationId,
    // The configured text, which cached callers share, and not the copy in the token.
    tenantId: issuer.tenantId,
    objectId: oid,
    // In a token of an application, `sub` repeats the object ID. One copy is stored.
    subject: sub === oid ? oid : sub,
    roles: roles.rolesIn(claims.roles),
    tokenId,
    expiresAt: exp,
  }
  return { caller: Object.freeze(caller), notBefore: Math.max(nbf, iat), boundTo }
}

/** Returns the reason why a token is not valid now, or undefined. Times are in seconds. */
export function checkValidityPeriod(
  notBefore: number,
  expiresAt: number,
  nowMs: number,
  toleranceSeconds: number,
): 'expired' | 'not_yet_valid' | undefined {
  const now = nowMs / 1000
  // Negated comparisons, so that NaN is refused.
  if (!(now < expiresAt + toleranceSeconds)) return 'expired'
  if (!(now >= notBefore - toleranceSeconds)) return 'not_yet_valid'
  return undefined
}

/** `ver` is a claim of Entra ID. Other issuers may use it for anything, with a value of any type. */
function isInVersion(ver: unknown, expected: string | undefined): boolean {
  return expected === undefined || ver === undefined || ver === expected
}

function isForAudience(aud: unknown, audiences: readonly string[]): boolean {
  const listed = typeof aud === 'string' ? [aud] : aud
  if (!Array.isArray(listed) || !listed.every((name) => typeof name === 'string')) return false
  return audiences.some((audience) => listed.includes(audience))
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isAbsentOrName(value: unknown): value is string | undefined {
  return value === undefined || isName(value)
}

function isInstant(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** The thumbprint of a certificate binding (RFC 8705 section 3.1). Null for any other binding. */
function thumbprintOf(cnf: unknown): string | null {
  if (!isJsonObject(cnf) || Object.keys(cnf).length !== 1) return null
  const thumbprint = cnf['x5t#S256']
  return isName(thumbprint) ? thumbprint : null
}
