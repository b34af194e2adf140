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
 * Finds the federated identity credential for an assertion. Issuer, subject and audience must be equal
 * to those of the credential.
 *
 * @returns the credential, or the refusal of the first part that no credential has:
 *   `federated_issuer_unknown`, `federated_subject_unknown`, `federated_subject_case_differs` or
 *   `federated_audience_unknown`
 */
export function findFederatedCredential(
  { issuer, subject, audience }: Assertion,
  { application }: RegisteredClient,
): FederatedIdentityCredential | Refused<IssuanceRefusal> {
  const audiences = typeof audience === 'string' ? [audience] : audience
  const ofIssuer = application.federatedIdentityCredentials.filter((one) => one.issuer === issuer)
  if (ofIssuer.length === 0) return refuse({ reason: 'federated_issuer_unknown', issuer })
  const ofSubject = ofIssuer.filter((one) => one.subject === subject)
  if (ofSubject.length === 0) {
    const differsInCase = ofIssuer.some((one) => caseless(one.subject) === caseless(subject))
    const reason = differsInCase ? 'federated_subject_case_differs' : 'federated_subject_unknown'
    return refuse({ reason, subject })
  }
  return (
    ofSubject.find((one) => audiences.some((aud) => one.audiences.includes(aud))) ??
    refuse({ reason: 'federated_audience_unknown', audience: audiences.join(',') })
  )
}

const caseless = (text: string) => text.toLowerCase()

/** What an assertion must contain to match a federated identity credential. */
export const expectedClaims = ({ issuer, subject, audiences }: FederatedIdentityCredential) => ({
  issuer,
  subject,
  audience: audiences[0] ?? '',
})
