import { type ClientAuth, ClientSecretPost } from 'oauth4webapi'

/** One way to prove who the client is, ready to be put into a token request. */
export type ClientAuthentication = {
  /** Tells this proof from the others of its credential; never shown to anybody. */
  readonly id: string
  readonly authenticate: ClientAuth
}

export type AuthenticationContext = {
  /** Whom an assertion is meant for. */
  readonly tokenEndpoint: string
  /** The time at the authorization server, in seconds since the Unix epoch. */
  readonly nowSeconds: number
}

/**
 * How a client proves who it is. Made by a function of this library, it shows no secret when it is
 * printed.
 */
export type Credential = {
  readonly kind: 'secret' | 'certificate' | 'assertion'
  /** Keeps the tokens of different credentials apart in a common cache; never shown to anybody. */
  readonly identity: () => string
  /** The proofs to try, in this order; asked for anew before every token request. */
  readonly authentications: (
    context: AuthenticationContext,
  ) => Promise<readonly ClientAuthentication[]>
}

/** A proof by a client secret in the form (contract C56). */
export const secretAuthentication = (secret: string): ClientAuthentication => ({
  id: secret,
  authenticate: ClientSecretPost(secret),
})

/**
 * A client secret.
 *
 * @param secret The secret's value (not its id).
 * @throws {TypeError} when it is not a string, or empty.
 * @see RFC 6749, section 2.3.1
 * @example
 * const credential = clientSecret('the value that was shown once')
 */
export function clientSecret(secret: string): Credential {
  return clientSecrets(secret)
}

/**
 * Several client secrets, the current one and the next: when one is refused, the next is tried, and
 * the one that works is remembered, so that a secret can be replaced while a job runs.
 *
 * @param secrets The values, the one to try first in front.
 * @throws {TypeError} when there is none, or one that is not a string, or empty.
 * @example
 * const credential = clientSecrets('the current one', 'the next one')
 */
export function clientSecrets(...secrets: readonly string[]): Credential {
  if (secrets.length === 0 || secrets.some((secret) => typeof secret !== 'string' || !secret)) {
    throw new TypeError('a client secret must be a string that is not empty')
  }
  const proofs = secrets.map(secretAuthentication)
  return { kind: 'secret', identity: () => secrets.join('\n'), authentications: async () => proofs }
}
