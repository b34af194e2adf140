import type { FederatedIdentityCredential } from '../directory/federated-identity-credential.ts'
import type { Assertion } from './assertion.ts'
import type { Client } from './client.ts'
import { refuse } from './refusal.ts'

/** What asking an issuer of others about a token of its own may end in. */
export type FederatedVerdict = 'verified' | 'refused' | 'unreachable' | 'notAllowed'

/** Verifies a token by the published keys of its issuer, when that issuer may be asked at all. */
export type VerifyFederated = (
  token: string,
  expected: { readonly issuer: string; readonly subject: string; readonly audience: string },
) => Promise<FederatedVerdict>

/** Whether an assertion comes from another issuer, rather than from the client itself. */
export const isFederated = ({ issuer }: Assertion): boolean => /^https?:\/\//.test(issuer)

/**
 * Finds the trust that an assertion of another issuer appeals to: issuer, subject and audience,
 * each exactly.
 *
 * @throws {RefusedError} federated_credential_unknown, federated_subject_unknown
 */
export function findFederation(
  { issuer, subject, audience }: Assertion,
  { application }: Client,
): FederatedIdentityCredential {
  const audiences = typeof audience === 'string' ? [audience] : audience
  const ofIssuer = application.federatedIdentityCredentials.filter((one) => one.issuer === issuer)
  const found = ofIssuer.find(
    (one) => one.subject === subject && audiences.some((aud) => one.audiences.includes(aud)),
  )
  if (found !== undefined) return found
  if (ofIssuer.length > 0 && ofIssuer.every((one) => one.subject !== subject))
    refuse({ reason: 'federated_subject_unknown', subject })
  return refuse({
    reason: 'federated_credential_unknown',
    issuer,
    subject,
    audience: audiences.join(','),
  })
}

/**
 * Authenticates a client by a token of an issuer that it trusts.
 *
 * @throws {RefusedError} federated_credential_unknown, federated_subject_unknown, federated_issuer_not_allowed,
 *   federated_issuer_unreachable, federated_assertion_invalid
 */
export async function judgeFederatedAssertion(
  assertion: Assertion,
  client: Client,
  verify: VerifyFederated,
): Promise<FederatedIdentityCredential> {
  const trust = findFederation(assertion, client)
  const { issuer, subject } = trust
  const verdict = await verify(assertion.token, {
    issuer,
    subject,
    audience: trust.audiences[0] ?? '',
  })
  if (verdict === 'notAllowed') refuse({ reason: 'federated_issuer_not_allowed', issuer })
  if (verdict === 'unreachable') refuse({ reason: 'federated_issuer_unreachable', issuer })
  if (verdict === 'refused') refuse({ reason: 'federated_assertion_invalid', issuer })
  return trust
}
