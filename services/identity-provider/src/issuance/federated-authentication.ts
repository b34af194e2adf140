import type { FederatedIdentityCredential } from '../directory/federated-identity-credential.ts'
import type { Assertion } from './assertion.ts'
import type { Client } from './client.ts'
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
 * @returns the credential, or a refusal: `federated_credential_unknown` or `federated_subject_unknown`
 */
export function findFederatedCredential(
  { issuer, subject, audience }: Assertion,
  { application }: Client,
): FederatedIdentityCredential | Refused<IssuanceRefusal> {
  const audiences = typeof audience === 'string' ? [audience] : audience
  const ofIssuer = application.federatedIdentityCredentials.filter((one) => one.issuer === issuer)
  const credential = ofIssuer.find(
    (one) => one.subject === subject && audiences.some((aud) => one.audiences.includes(aud)),
  )
  if (credential !== undefined) return credential
  if (ofIssuer.length > 0 && ofIssuer.every((one) => one.subject !== subject)) {
    return refuse({ reason: 'federated_subject_unknown', subject })
  }
  const reason = 'federated_credential_unknown'
  return refuse({ reason, issuer, subject, audience: audiences.join(',') })
}

/** What an assertion must contain to match a federated identity credential. */
export const expectedClaims = ({ issuer, subject, audiences }: FederatedIdentityCredential) => ({
  issuer,
  subject,
  audience: audiences[0] ?? '',
})
