import type { RefusalReason } from './refusal.ts'

/** What a request presents to be let in. */
export type RequestCredentials = {
  /**
   * The value of the `Authorization` field, or all its values when there are several: a server that
   * hides all but the first must be asked for its raw headers.
   */
  readonly authorization: string | readonly string[] | undefined
  /** The request's path and query, or its whole URL. Looked at only for a token in the query. */
  readonly target: string
  /**
   * The `x5t#S256` of the certificate that the client proved in the TLS handshake: base64url of the
   * SHA-256 of its DER form. Never from a header, unless a proxy of yours sets it and strips others.
   */
  readonly certificateThumbprint?: string | undefined
}

/** A bearer token as presented, and the field value that held it. */
export type BearerCredentials = { readonly token: string; readonly authorization: string }

/** The one bearer token, or the reason why there is not exactly one. */
export type Credentials =
  | BearerCredentials
  | { readonly reason: Extract<RefusalReason, `${string}credentials${string}` | 'token_in_query'> }

const noCredentials = Object.freeze({ reason: 'no_credentials' })
const malformed = Object.freeze({ reason: 'credentials_malformed' })
const repeated = Object.freeze({ reason: 'credentials_repeated' })
const inQuery = Object.freeze({ reason: 'token_in_query' })

/**
 * Finds the one bearer token of a request.
 *
 * @see RFC 6750 section 2, RFC 9110 section 11.4
 */
export function readCredentials({ authorization, target }: RequestCredentials): Credentials {
  if (hasTokenInQuery(target)) return inQuery
  if (authorization === undefined) return noCredentials
  if (typeof authorization !== 'string') return readSeveral(authorization, target)

  const space = authorization.indexOf(' ')
  const scheme = space === -1 ? authorization : authorization.slice(0, space)
  if (scheme !== 'Bearer' && scheme.toLowerCase() !== 'bearer') {
    // Where fields of one name reach us joined, a bearer token may hide behind another scheme.
    return /,\s*bearer(\s|$)/i.test(authorization) ? repeated : noCredentials
  }
  const token = authorization.slice(scheme.length + 1)
  return token === '' || token.includes(' ') ? malformed : { token, authorization }
}

function readSeveral(values: readonly string[], target: string): Credentials {
  return values.length > 1 ? repeated : readCredentials({ authorization: values[0], target })
}

function hasTokenInQuery(target: string): boolean {
  const query = target.indexOf('?')
  if (query === -1) return false
  const text = target.slice(query + 1)
  // Only a text that could spell the name, plainly or encoded, is worth parsing.
  if (!text.includes('access_token') && !text.includes('%')) return false
  return new URLSearchParams(text.split('#', 1)[0]).has('access_token')
}
