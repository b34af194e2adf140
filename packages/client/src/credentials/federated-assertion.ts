import type { ClientAuth } from 'oauth4webapi'
import type { ClientAuthentication, Credential } from './credential.ts'

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** A proof by an assertion that somebody else has signed. */
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
 * An assertion that another identity provider has issued for this workload, and that the
 * authorization server trusts (a federated identity credential).
 *
 * @param assertion Returns the assertion; asked for anew before every token request.
 * @throws {TypeError} when it is not a function.
 * @see RFC 7523, section 2.2
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
