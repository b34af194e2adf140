import {
  matchesClaims,
  parseClaimsMatchingExpression,
} from '../directory/claims-matching-expression.ts'
import type { FederatedIdentityCredential } from '../directory/federated-identity-credential.ts'
import type { Assertion } from './assertion.ts'
import type { RegisteredClient } from './client.ts'
import { type IssuanceRefusal, type Refused, refuse } from './refusal.ts'

/** The result of verifying a token with the published keys of another issuer. */
export type FederatedVerification =
  | 'valid'
  | 'invalid'
  | 'issuer_not_allowed'
  | 'issuer_unreachable'

/** Verifies a token of another issuer, if its host is allowed. Requests the keys of the issuer. */
export type VerifyFederated = (
  token: string,
  expected: { readonly issuer: string; readonly subject: string; readonly audience: string },
) => Promise<FederatedVerification>

/** Whether an assertion comes from another issuer, rather than from the client itself. */
export const isFederated = ({ issuer }: Assertion): boolean => /^https?:\/\//.test(issuer)

/**
 * Finds the federated identity credential for an assertion. Issuer and audience must be equal to those
 * of the credential. So must be the subject, unless the expression of the credential matches the claims.
 *
 * @returns the credential, or the refusal of the first part that no credential has:
 *   `federated_issuer_unknown`, `federated_subject_unknown`, `federated_subject_case_differs`,
 *   `federated_expression_unmatched` or `federated_audience_unknown`
 */
export function findFederatedCredential(
  assertion: Assertion,
  { application }: RegisteredClient,
): FederatedIdentityCredential | Refused<IssuanceRefusal> {
  const { issuer, subject, audience } = assertion
  const audiences = typeof audience === 'string' ? [audience] : audience
  const ofIssuer = application.federatedIdentityCredentials.filter((one) => one.issuer === issuer)
  if (ofIssuer.length === 0) return refuse({ reason: 'federated_issuer_unknown', issuer })
  const ofSubject = ofIssuer.filter((one) => trusts(one, assertion))
  if (ofSubject.length === 0) return refuse({ reason: subjectReason(ofIssuer, subject), subject })
  return (
    ofSubject.find((one) => audiences.some((aud) => one.audiences.includes(aud))) ??
    refuse({ reason: 'federated_audience_unknown', audience: audiences.join(',') })
  )
}

function trusts(credential: FederatedIdentityCredential, { subject, claims }: Assertion): boolean {
  if (credential.subject !== null) return credential.subject === subject
  const comparisons = parseClaimsMatchingExpression(credential.claimsMatchingExpression)
  return comparisons !== undefined && matchesClaims(comparisons, claims)
}

function subjectReason(ofIssuer: readonly FederatedIdentityCredential[], subject: string) {
  if (ofIssuer.some((one) => one.subject?.toLowerCase() === subject.toLowerCase())) {
    return 'federated_subject_case_differs'
  }
  return ofIssuer.some((one) => one.subject === null)
    ? 'federated_expression_unmatched'
    : 'federated_subject_unknown'
}

/** What the verified assertion must contain, once it matches a federated identity credential. */
export const expectedClaims = (
  { issuer, audiences }: FederatedIdentityCredential,
  { subject }: Assertion,
) => ({ issuer, subject, audience: audiences[0] ?? '' })
