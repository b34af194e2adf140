import type { ClientAuth } from 'oauth4webapi'
import { oneOf, validateOptions } from '../option-rules.ts'
import type { ClientAuthentication, Credential } from './credential.ts'

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Authenticates with an assertion that another issuer signed. */
export function assertionAuthentication(assertion: string): ClientAuthentication {
  if (typeof assertion !== 'string' || assertion === '')
    throw new TypeError('the assertion is not a string, or empty')
  const authenticate: ClientAuth = (_server, client, body) => {
    body.set('client_id', client.client_id)
    body.set('client_assertion_type', assertionType)
    body.set('client_assertion', assertion)
  }
  return { id: 'assertion', authenticate }
}

/** Sends the assertion as the grant itself, without client authentication (RFC 7523 section 2.1). */
function grantAuthentication(assertion: string): ClientAuthentication {
  const authenticate: ClientAuth = (_server, _client, body) => {
    body.set('grant_type', 'urn:ietf:params:oauth:grant-type:jwt-bearer')
    body.set('assertion', assertion)
  }
  return { ...assertionAuthentication(assertion), authenticate }
}

/** The options of `federatedAssertion`. */
export type FederatedAssertionOptions = {
  /**
   * Sends the assertion as the grant itself (RFC 7523 section 2.1), in place of client credentials.
   * Microsoft Entra ID refuses this without a user.
   */
  readonly grant?: 'jwt-bearer'
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
export function federatedAssertion(
  assertion: () => string | Promise<string>,
  options: FederatedAssertionOptions = {},
): Credential {
  if (typeof assertion !== 'function') throw new TypeError('the assertion must be a function')
  validateOptions('federatedAssertion', options, { grant: oneOf('jwt-bearer') })
  const authenticationOf = options.grant ? grantAuthentication : assertionAuthentication
  return {
    kind: 'assertion',
    identity: () => options.grant ?? 'federated',
    authentications: async () => [authenticationOf(await assertion())],
  }
}
