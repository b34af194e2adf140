import type { RefusalReason } from './refusal.ts'

/** The credentials of a request. */
export type RequestCredentials = {
  /**
   * The value of the `Authorization` field, or all values if the field is repeated. Node shows only
   * the first value in `headers`, so read them from `rawHeaders`.
   */
  readonly authorization: string | readonly string[] | undefined
  /** Path and query of the request, or its URL. Used only to find a token in the query. */
  readonly target: string
  /**
   * The `x5t#S256` of the client certificate of the TLS connection: base64url of the SHA-256 of its
   * DER form. Do not read it from a header, unless your own proxy sets and strips that header.
   */
  readonly certificateThumbprint?: string | undefined
}

/** A bearer token, and the value of the field that contains it. */
export type BearerCredentials = { readonly token: string; readonly authorization: string }

/** The bearer token, or the reason why there is not exactly one. */
export type Credentials =
  | BearerCredentials
  | { readonly reason: Extract<RefusalReason, `${string}credentials${string}` | 'token_in_query'> }

const noCredentials = Object.freeze({ reason: 'no_credentials' })
const malformed = Object.freeze({ reason: 'credentials_malformed' })
const repeated = Object.freeze({ reason: 'credentials_repeated' })
const inQuery = Object.freeze({ reason: 'token_in_query' })

const [spaceCode, tabCode] = [0x20, 0x09]

/**
 * Reads the bearer token of a request: the scheme, one or more spaces, and one word.
 *
 * @see RFC 6750 section 2, RFC 9110 section 11.4
 */
export function readCredentials({ authorization, target }: RequestCredentials): Credentials {
  if (hasTokenInQuery(target)) return inQuery
  if (authorization === undefined) return noCredentials
  if (typeof authorization !== 'string') return readList(authorization, target)

  const space = authorization.indexOf(' ')
  const scheme = space === -1 ? authorization : authorization.slice(0, space)
  if (scheme !== 'Bearer' && scheme.toLowerCase() !== 'bearer') {
    // Web requests join repeated fields with a comma, so a bearer token may follow another scheme.
    return /,\s*bearer(\s|$)/i.test(authorization) ? repeated : noCredentials
  }
  let start = scheme.length + 1
  while (authorization.charCodeAt(start) === spaceCode) start += 1
  const token = authorization.slice(start)
  if (token === '' || token.includes(' ') || token.charCodeAt(0) === tabCode) return malformed
  // One form for any number of spaces, so that a token has one place in the cache.
  return start === scheme.length + 1
    ? { token, authorization }
    : { token, authorization: `${scheme} ${token}` }
}

function readList(values: readonly string[], target: string): Credentials {
  return values.length > 1 ? repeated : readCredentials({ authorization: values[0], target })
}

function hasTokenInQuery(target: string): boolean {
  const query = target.indexOf('?')
  if (query === -1) return false
  const text = target.slice(query + 1)
  // Parsing is slow, so only a query that may contain the name, plain or encoded, is parsed.
  if (!text.includes('access_token') && !text.includes('%')) return false
  return new URLSearchParams(text.split('#', 1)[0]).has('access_token')
}
