import {
  type FederatedIdentityCredential,
  matchesClaims,
  parseClaimsMatchingExpression,
  tokenExchangeAppId,
  tokenExchangeUri,
} from '@greeting/directory'
import { type AuthenticationRefusal, type Refused, refuse } from '../refusals/refusal.ts'
import { type Assertion, headerRefusal } from './assertion.ts'
import type { RegisteredClient } from './client.ts'

/** The result of verifying a token with the published keys of its issuer. */
export type FederatedVerification =
  | 'valid'
  /** The token is valid, and this server issued it for token exchange. */
  | 'valid_own'
  | 'invalid'
  /** This server issued it for another purpose. */
  | 'token_type_forbidden'
  | 'issuer_of_other_tenant'
  | 'issuer_not_allowed'
  | 'issuer_unreachable'
  /** The issuer has a key set that cannot be read, or without a usable key. */
  | 'keys_malformed'
  | 'key_unknown'
  /** The token has expired, or is not valid yet. */
  | 'time_invalid'

/** The values that a verified token must contain, and the tenant that owns the application. */
export type ExpectedToken = {
  readonly issuer: string
  readonly subject: string
  readonly audience: string
  readonly tenantId: string
}

/** Verifies an issuer's token. If another issuer's host is allowed, its keys are requested. */
export type VerifyFederated = (
  token: string,
  expected: ExpectedToken,
) => Promise<FederatedVerification>

/** True if an assertion comes from another issuer, rather than from the client itself. */
export const isFederated = ({ issuer }: Assertion): boolean => /^https?:\/\//.test(issuer)

/** The longest life of a token, from `iat` to `exp`: 25 hours. */
const maxLifetimeSeconds = 90_000

/**
 * Finds the federated identity credential for an assertion. The issuer and the audience must equal those of
 * the credential. The subject must be equal too, unless the credential's expression matches the claims.
 *
 * @returns the credential, or the refusal of the first part that is wrong: as of `headerRefusal`,
 * `federated_credential_missing`, `federated_lifetime_too_long`, `federated_issuer_unknown`,
 * `federated_subject_unknown`, `federated_subject_case_differs`, `federated_expression_unmatched`
 * or `federated_audience_unknown`
 */
export function findFederatedCredential(
  assertion: Assertion,
  { application }: RegisteredClient,
): FederatedIdentityCredential | Refused<AuthenticationRefusal> {
  const { issuer, subject, issuedAt, expiresAt } = assertion
  const { appId: clientId, displayName: clientName, federatedIdentityCredentials } = application
  const header = headerRefusal(assertion, ['RS256'])
  if (header !== undefined) return header
  if (federatedIdentityCredentials.length === 0)
    return refuse({ reason: 'federated_credential_missing', clientId, clientName })
  const audiences = audiencesOf(assertion)
  const ofIssuer = federatedIdentityCredentials.filter((one) => one.issuer === issuer)
  if (ofIssuer.length === 0) return refuse({ reason: 'federated_issuer_unknown', issuer })
  const ofSubject = ofIssuer.filter((one) => trusts(one, assertion))
  if (ofSubject.length === 0) return refuse({ reason: subjectReason(ofIssuer, subject), subject })
  const credential = ofSubject.find((one) => matchingAudience(one, audiences) !== undefined)
  if (credential === undefined)
    return refuse({ reason: 'federated_audience_unknown', audience: audiences.join(',') })
  // Without `iat`, Entra counts from 0.
  const [issued = 0, expires = 0] = [issuedAt ?? new Date(0), expiresAt].map((at) => +at / 1000)
  return expires - issued > maxLifetimeSeconds
    ? refuse({ reason: 'federated_lifetime_too_long', issued, expires })
    : credential
}

const audiencesOf = ({ audience }: Assertion): readonly string[] =>
  typeof audience === 'string' ? [audience] : audience

/** Entra ID writes the ID of its API for token exchange into `aud`, and credentials have its URI (entra E183). */
const matchingAudience = (
  { audiences }: FederatedIdentityCredential,
  presented: readonly string[],
): string | undefined =>
  presented.find(
    (aud) =>
      audiences.includes(aud) ||
      (aud === tokenExchangeAppId && audiences.includes(tokenExchangeUri)),
  )

function trusts(credential: FederatedIdentityCredential, { subject, claims }: Assertion): boolean {
  if (credential.subject !== null) return credential.subject === subject
  const comparisons = parseClaimsMatchingExpression(credential.claimsMatchingExpression)
  return comparisons !== undefined && matchesClaims(comparisons, claims)
}

function subjectReason(ofIssuer: readonly FederatedIdentityCredential[], subject: string) {
  if (ofIssuer.some((one) => one.subject?.toLowerCase() === subject.toLowerCase()))
    return 'federated_subject_case_differs'
  return ofIssuer.some((one) => one.subject === null)
    ? 'federated_expression_unmatched'
    : 'federated_subject_unknown'
}

/** The values that a verified assertion must contain, once it matches a federated identity credential. */
export const expectedToken = (
  credential: FederatedIdentityCredential,
  assertion: Assertion,
  { application: { tenantId } }: RegisteredClient,
): ExpectedToken => ({
  issuer: credential.issuer,
  subject: assertion.subject,
  audience: matchingAudience(credential, audiencesOf(assertion)) ?? '',
  tenantId,
})
