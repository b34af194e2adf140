// Folder: The credentials with which a client asks for a token.

import { type ClientAuth, ClientSecretPost } from 'oauth4webapi'

/** The parameters that authenticate the client in one token request. */
export type ClientAuthentication = {
  /** Distinguishes the authentications of one credential. It is never shown. */
  readonly id: string
  readonly authenticate: ClientAuth
  /** Called when the server refuses it. The next `authentications()` offers another one. */
  readonly discard?: () => void
}

/** A token as the authorization server issued it. */
export type IssuedToken = { readonly token: string; readonly lifetimeSeconds: number }

/** A token request for another client at the same token endpoint. */
export type OtherTokenRequest = {
  readonly clientId: string
  readonly scope: string
  readonly fmiPath?: string
}

/** The facts on which a client authentication may depend. */
export type AuthenticationContext = {
  readonly tokenEndpoint: string
  /** The issuer of the authorization server, if its metadata was read. */
  readonly issuer?: string | undefined
  /** The time at the authorization server, in seconds since the Unix epoch. */
  readonly nowSeconds: number
  /** Requests a token of another client, within the same attempt. It rejects with a `ClientError`. */
  readonly otherToken: (request: OtherTokenRequest, credential: Credential) => Promise<IssuedToken>
}

/** The credential of a client. The credentials of this library show no secret when they are printed. */
export type Credential = {
  readonly kind: 'secret' | 'certificate' | 'key' | 'assertion'
  /** The only client that it authenticates, if it belongs to one. */
  readonly clientId?: string
  /** Separates the tokens of different credentials in a shared cache. It is never shown. */
  readonly identity: () => string
  /** The authentications to try, in this order. Called before every token request. */
  readonly authentications: (
    context: AuthenticationContext,
  ) => Promise<readonly ClientAuthentication[]>
}

const formEncoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)

/** HTTP Basic (RFC 6749 section 2.3.1). The one of oauth4webapi encodes more characters than servers decode. */
const basic =
  (secret: string): ClientAuth =>
  (_server, { client_id }, _body, headers) => {
    const pair = `${formEncoded(client_id)}:${formEncoded(secret)}`
    headers.set('authorization', `Basic ${btoa(pair)}`)
  }

/** A client secret: in the form (contract C56), or by HTTP Basic if the metadata lists no form. */
export const secretAuthentication = (secret: string): ClientAuthentication => ({
  id: secret,
  authenticate: (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_post']
    const isForm = methods.includes('client_secret_post')
    return (isForm ? ClientSecretPost : basic)(secret)(server, ...rest)
  },
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
 * Several client secrets, such as the current and the next one. If one is refused, the next is
 * tried. The accepted secret is remembered, so that a secret can be replaced while a job runs.
 *
 * @param secrets the values, in the order of the attempts
 * @throws {TypeError} if there is no secret, or if a secret is not a string, or is empty
 * @example
 * const credential = clientSecrets('the current one', 'the next one')
 */
export function clientSecrets(...secrets: readonly string[]): Credential {
  if (secrets.length === 0 || secrets.some((secret) => typeof secret !== 'string' || !secret))
    throw new TypeError('a client secret must be a string that is not empty')
  const authentications = secrets.map(secretAuthentication)
  return {
    kind: 'secret',
    identity: () => secrets.join('\n'),
    authentications: async () => authentications,
  }
}
