import { readAssertion } from '../issuance/assertion.ts'
import { isFederated } from '../issuance/federated-authentication.ts'
import type { ClientAuthentication, TokenRequest } from '../issuance/token-request.ts'
import { Refused } from '../refusals/refusal.ts'

/** The result of one token request, without its token and its credential. */
type TokenObservation = {
  /** `failed` means that the server, or an issuer that it asked, is at fault. */
  readonly outcome: 'issued' | 'refused' | 'failed'
  /** The reason of the refusal; empty for an issued token. */
  readonly reason: string
  readonly credential: CredentialKind
  /** Whether the answer was 429 in place of the reason. */
  readonly isThrottled: boolean
  /** The client that the request names, which may be unknown; undefined when it names none. */
  readonly clientId: string | undefined
  /** The tenant of the path; null when the request was refused before it was found. */
  readonly tenantId: string | null
  readonly correlationId: string
}

/** Receives the result of each token request. */
export type ObserveToken = (observation: TokenObservation) => void

/** The parts of an observation that come from the request. */
export const requestObservation = (request: TokenRequest | undefined) => ({
  credential: credentialKindOf(request?.authentication),
  clientId: request?.clientId,
})

/** The kind of the credential of a token request. `none` stands for one that cannot be read. */
type CredentialKind = 'secret' | 'certificate' | 'federated' | 'none'

/** Determines the type of credential from the request alone, so that refused requests have one too. */
export function credentialKindOf(authentication: ClientAuthentication | undefined): CredentialKind {
  if (authentication === undefined) return 'none'
  if (authentication.method === 'secret') return 'secret'
  if (authentication.method === 'tls') return 'certificate'
  const assertion = readAssertion(authentication.assertion)
  if (assertion instanceof Refused) return 'none'
  return isFederated(assertion) ? 'federated' : 'certificate'
}
