import type { Caller } from '../caller.ts'
import { isJsonObject } from '../encoding/strict-json.ts'
import type { TrustedIssuer } from '../guard-options.ts'
import type { RefusalReason } from '../refusal.ts'
import type { DeclaredRoles } from './declared-roles.ts'

/** What a verified token grants, for as long as it holds. */
export type VerifiedClaims<Role extends string> = {
  readonly caller: Caller<Role>
  /** From when the token holds, in seconds since the epoch; until when is the caller's to know. */
  readonly notBefore: number
  /** The `x5t#S256` of the certificate that the token is bound to. */
  readonly boundTo: string | undefined
}

/**
 * Claims that only other kinds of token carry: id tokens, logout tokens and other event tokens,
 * DPoP proofs, and tokens that act for a user. Signed by the same keys, they are not ours to take.
 *
 * @see RFC 8725 section 3.12
 */
const foreignClaims = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events', 'htm', 'htu', 'scp']

/**
 * Judges the claims of a token whose signature was verified with a key of this issuer.
 *
 * @see RFC 9068 section 4, RFC 7519 section 4.1
 */
export function judgeClaims<Role extends string>(
  claims: Readonly<Record<string, unknown>>,
  issuer: TrustedIssuer,
  roles: DeclaredRoles<Role>,
): VerifiedClaims<Role> | RefusalReason {
  // 1. Whose token it is, and whom it is for.
  if (claims.iss !== issuer.issuer) return 'issuer_not_trusted'
  if (issuer.tenantId !== undefined && claims.tid !== issuer.tenantId) return 'tenant_not_trusted'
  if (!isForAudience(claims.aud, issuer.audiences)) return 'audience_not_ours'

  // 2. That it is an access token, of an application, of the version that this issuer issues.
  if (foreignClaims.some((claim) => claim in claims)) return 'type_not_access_token'
  if (claims.idtyp !== undefined && claims.idtyp !== 'app') return 'type_not_access_token'
  if (claims.ver !== undefined && claims.ver !== issuer.tokenVersion) return 'claims_malformed'
  const { sub, oid } = claims
  const applicationId = claims[issuer.claims.applicationId]
  const tokenId = claims[issuer.claims.tokenId]
  if (!isName(applicationId) || !isName(sub)) return 'claims_malformed'
  if (!isAbsentOrName(oid) || !isAbsentOrName(tokenId)) return 'claims_malformed'

  // 3. When it holds.
  const { iat, nbf = iat, exp } = claims
  if (!isInstant(iat) || !isInstant(nbf) || !isInstant(exp)) return 'claims_malformed'

  // 4. Whether it is bound to a key.
  const boundTo = claims.cnf === undefined ? undefined : thumbprintOf(claims.cnf)
  if (boundTo === null) return 'binding_not_proven'

  const caller: Caller<Role> = {
    outcome: 'admitted',
    applicationId,
    // The configured text, not the token's copy of it: remembered callers share it.
    tenantId: issuer.tenantId,
    objectId: oid,
    // In a token of an application the subject is its object id, written twice.
    subject: sub === oid ? oid : sub,
    roles: roles.grantedBy(claims.roles),
    tokenId,
    expiresAt: exp,
  }
  return { caller: Object.freeze(caller), notBefore: Math.max(nbf, iat), boundTo }
}

/** Why a token does not hold at this moment; undefined when it does. Times in seconds. */
export function judgeTime(
  notBefore: number,
  expiresAt: number,
  nowMs: number,
  toleranceSeconds: number,
): 'expired' | 'not_yet_valid' | undefined {
  const now = nowMs / 1000
  // Written so that a time which is not a number refuses.
  if (!(now < expiresAt + toleranceSeconds)) return 'expired'
  if (!(now >= notBefore - toleranceSeconds)) return 'not_yet_valid'
  return undefined
}

function isForAudience(aud: unknown, audiences: readonly string[]): boolean {
  const named = typeof aud === 'string' ? [aud] : aud
  if (!Array.isArray(named) || !named.every((name) => typeof name === 'string')) return false
  return audiences.some((audience) => named.includes(audience))
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

/** The one kind of binding that is understood; null for every other (RFC 8705 section 3.1). */
function thumbprintOf(cnf: unknown): string | null {
  if (!isJsonObject(cnf) || Object.keys(cnf).length !== 1) return null
  const thumbprint = cnf['x5t#S256']
  return isName(thumbprint) ? thumbprint : null
}
