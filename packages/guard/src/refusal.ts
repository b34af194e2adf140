type RefusalRow = {
  readonly status: 400 | 401 | 403 | 404 | 405 | 503
  readonly error: string
  readonly description: string
  /** The error code in `WWW-Authenticate`: `bare` has none, null means no challenge. */
  readonly challenge: 'bare' | 'invalid_request' | 'invalid_token' | 'insufficient_scope' | null
}

const malformedCredentials = {
  status: 400,
  error: 'invalid_request',
  description: 'Exactly one bearer access token must be sent, in the Authorization header',
  challenge: 'invalid_request',
} as const

const invalidToken = (description: string) =>
  ({ status: 401, error: 'invalid_token', description, challenge: 'invalid_token' }) as const

const malformed = invalidToken('The access token is malformed')
// One sentence for both, so that a caller does not learn which keys exist.
const unverifiable = invalidToken('The signature of the access token could not be verified')

/**
 * Every refusal: the reason for the operator, and the response to the caller.
 *
 * @see RFC 6750 section 3.1
 */
export const refusalRows = {
  no_credentials: {
    status: 401,
    error: 'unauthorized',
    description: 'A bearer access token is required',
    challenge: 'bare',
  },
  credentials_malformed: malformedCredentials,
  credentials_repeated: malformedCredentials,
  token_in_query: malformedCredentials,
  body_malformed: {
    status: 400,
    error: 'invalid_request',
    description: 'The body must be strict JSON of JSON-RPC messages, within the limits of the API',
    challenge: 'invalid_request',
  },

  token_malformed: malformed,
  header_malformed: malformed,
  header_not_supported: malformed,
  claims_malformed: malformed,
  algorithm_not_rs256: malformed,
  type_not_access_token: invalidToken('The token is not an access token for an application'),
  key_unknown: unverifiable,
  signature_invalid: unverifiable,
  issuer_not_trusted: invalidToken('The access token is from another issuer'),
  tenant_not_trusted: invalidToken('The access token is from another tenant'),
  audience_not_ours: invalidToken('The access token is for another audience'),
  expired: invalidToken('The access token has expired'),
  not_yet_valid: invalidToken('The access token is not valid yet'),
  binding_not_proven: invalidToken('The access token is bound to a key that was not proven'),

  role_missing: {
    status: 403,
    error: 'access_denied',
    description: 'Access is denied',
    challenge: 'insufficient_scope',
  },
  keys_unavailable: {
    status: 503,
    error: 'temporarily_unavailable',
    description: 'Access tokens cannot be verified at the moment',
    challenge: null,
  },

  not_found: {
    status: 404,
    error: 'not_found',
    description: 'There is nothing at this path',
    challenge: null,
  },
  method_not_allowed: {
    status: 405,
    error: 'method_not_allowed',
    description: 'This path does not support this method',
    challenge: null,
  },
} as const satisfies Record<string, RefusalRow>

/** Why a request was refused. Only the operator sees the reason. */
export type RefusalReason = keyof typeof refusalRows

/** A refused request, with the complete response. */
export type Refusal = {
  readonly outcome: 'refused'
  readonly reason: RefusalReason
  readonly status: RefusalRow['status']
  readonly headers: Readonly<Record<string, string>>
  /** A JSON object with the string members `error` and `error_description`. */
  readonly body: string
}

/** The response for each reason, with one realm. */
export type Refusals = Readonly<Record<RefusalReason, Refusal>>

/**
 * Creates the response for each reason once, so that a refusal is cheap.
 *
 * @param realm the `realm` of each challenge
 * @param resourceMetadataUrl in each challenge, if defined (RFC 9728 section 5.1)
 * @param scope in each challenge, if defined: what a client requests, and never a role
 */
export function prepareRefusals(
  realm: string,
  resourceMetadataUrl: string | undefined,
  scope?: string,
): Refusals {
  const entries = Object.entries(refusalRows).map(([reason, row]: [string, RefusalRow]) => {
    const challenge = challengeOf(row, realm, resourceMetadataUrl, scope)
    const refusal = {
      outcome: 'refused',
      reason,
      status: row.status,
      headers: Object.freeze({
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        ...(challenge !== undefined && { 'www-authenticate': challenge }),
      }),
      body: JSON.stringify({ error: row.error, error_description: row.description }),
    }
    return [reason, Object.freeze(refusal)]
  })
  return Object.freeze(Object.fromEntries(entries))
}

/**
 * Returns the refusal with one more header, such as `retry-after` or `allow`.
 * @example
 * const refusal = withHeader(guard.refuse('method_not_allowed'), 'allow', 'GET, HEAD')
 */
export function withHeader(refusal: Refusal, name: string, value: string): Refusal {
  return Object.freeze({
    ...refusal,
    headers: Object.freeze({ ...refusal.headers, [name]: value }),
  })
}

function challengeOf(
  { challenge, description }: RefusalRow,
  realm: string,
  resourceMetadataUrl: string | undefined,
  scope: string | undefined,
): string | undefined {
  if (challenge === null) return undefined
  const parameters = [`realm="${realm}"`]
  // RFC 6750 section 3.1: without credentials, the challenge has no error code.
  if (challenge !== 'bare') parameters.push(`error="${challenge}"`)
  if (challenge === 'invalid_token') parameters.push(`error_description="${description}"`)
  if (scope !== undefined) parameters.push(`scope="${scope}"`)
  if (resourceMetadataUrl !== undefined) {
    parameters.push(`resource_metadata="${resourceMetadataUrl}"`)
  }
  return `Bearer ${parameters.join(', ')}`
}
