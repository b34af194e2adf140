// Folder: The credentials with which a client asks for a token.

import { type ClientAuth, ClientSecretPost } from 'oauth4webapi'

/** One client authentication of a token request. */
export type ClientAuthentication = {
  /** Distinguishes the authentications of one credential. It is never shown. */
  readonly id: string
  readonly authenticate: ClientAuth
}

/** The facts that an authentication may depend on. */
export type AuthenticationContext = {
  /** The audience of an assertion. */
  readonly tokenEndpoint: string
  /** The time at the authorization server, in seconds since the Unix epoch. */
  readonly nowSeconds: number
}

/**
 * The credential of a client. The credentials of this library show no secret when they are printed.
 */
export type Credential = {
  readonly kind: 'secret' | 'certificate' | 'assertion'
  /** Separates the tokens of different credentials in a shared cache. It is never shown. */
  readonly identity: () => string
  /** The authentications to try, in this order. Called before every token request. */
  readonly authentications: (
    context: AuthenticationContext,
  ) => Promise<readonly ClientAuthentication[]>
}

/** A client secret in the form (contract C56). */
export const secretAuthentication = (secret: string): ClientAuthentication => ({
  id: secret,
  authenticate: ClientSecretPost(secret),
})

/**
 * A client secret.
 *
 * @param secret the secret's value, not its id
 * @throws {TypeError} if it is not a string, or empty
 * @see RFC 6749 section 2.3.1
 * @example
 * const credential = clientSecret('the value that was shown once')
 */
export function clientSecret(secret: string): Credential {
  return clientSecrets(secret)
}

/**
 * Several client secrets, such as the current and the next one. If one is refused, the next is tried.
 * The accepted one is remembered, so that a secret can be replaced while a job runs.
 *
 * @param secrets the values, in the order of the attempts
 * @throws {TypeError} if there is none, or if one is not a string, or empty
 * @example
 * const credential = clientSecrets('the current one', 'the next one')
 */
export function clientSecrets(...secrets: readonly string[]): Credential {
  if (secrets.length === 0 || secrets.some((secret) => typeof secret !== 'string' || !secret)) {
    throw new TypeError('a client secret must be a string that is not empty')
  }
  const authentications = secrets.map(secretAuthentication)
  return {
    kind: 'secret',
    identity: () => secrets.join('\n'),
    authentications: async () => authentications,
  }
}
