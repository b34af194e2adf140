import type { ClientAuth } from 'oauth4webapi'
import type { ClientAuthentication, Credential } from './credential.ts'

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Authenticates with an assertion that another issuer signed. */
export function assertionAuthentication(assertion: string): ClientAuthentication {
  if (typeof assertion !== 'string' || assertion === '') {
    throw new TypeError('the assertion is not a string, or empty')
  }
  const authenticate: ClientAuth = (_server, client, body) => {
    body.set('client_id', client.client_id)
    body.set('client_assertion_type', assertionType)
    body.set('client_assertion', assertion)
  }
  return { id: 'assertion', authenticate }
}

/**
 * An assertion that another identity provider issued for this workload. The authorization server
 * trusts it through a federated identity credential.
 *
 * @param assertion returns the assertion; called before every token request
 * @throws {TypeError} if it is not a function
 * @see RFC 7523 section 2.2
 * @example
 * const credential = federatedAssertion(async () => 'a JWT of the other identity provider')
 */
export function federatedAssertion(assertion: () => string | Promise<string>): Credential {
  if (typeof assertion !== 'function') throw new TypeError('the assertion must be a function')
  return {
    kind: 'assertion',
    identity: () => 'federated',
    authentications: async () => [assertionAuthentication(await assertion())],
  }
}
