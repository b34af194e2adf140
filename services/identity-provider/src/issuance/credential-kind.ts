import { readAssertion } from './assertion.ts'
import { isFederated } from './federated-authentication.ts'
import { Refused } from './refusal.ts'
import type { ClientAuthentication } from './token-request.ts'

/** The kind of the credential of a token request. `none` stands for one that cannot be read. */
export type CredentialKind = 'secret' | 'certificate' | 'federated' | 'none'

/** Determines the kind from the request alone, so that refused requests have one too. */
export function credentialKindOf(authentication: ClientAuthentication | undefined): CredentialKind {
  if (authentication === undefined) return 'none'
  if (authentication.method === 'secret') return 'secret'
  if (authentication.method === 'tls') return 'certificate'
  const assertion = readAssertion(authentication.assertion)
  if (assertion instanceof Refused) return 'none'
  return isFederated(assertion) ? 'federated' : 'certificate'
}
