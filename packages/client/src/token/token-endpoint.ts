import {
  allowInsecureRequests,
  type ClientAuth,
  clientCredentialsGrantRequest,
  customFetch,
} from 'oauth4webapi'
import { requestAttributes, type Trace } from '../hooks.ts'
import { readBoundedText, UnusableBodyError } from '../http/bounded-body.ts'

// A normal answer has about 2 KB.
const maxAnswerBytes = 65_536

export type TokenRequest = {
  readonly tokenEndpoint: string
  readonly clientId: string
  readonly scope?: string | undefined
  /** The API that the token is for (RFC 8707). */
  readonly resource?: string | undefined
  /** What the metadata of the authorization server says, if it was read. */
  readonly metadata?: {
    readonly issuer: string
    readonly token_endpoint_auth_methods_supported: string[]
  }
  /** The agent identity for which a blueprint requests an exchange token. */
  readonly fmiPath?: string
}

/** A response of the token endpoint whose body has not been read. */
export type TokenResponse = {
  readonly status: number
  readonly headers: Headers
  readonly body: string | UnusableBodyError
}

/** A token request in flight: its response, and the secrets that must not appear in any text. */
export type SentTokenRequest = {
  readonly answer: Promise<TokenResponse>
  readonly secrets: readonly string[]
}

export type TokenEndpointContext = {
  readonly fetch: typeof fetch
  readonly trace: Trace
  readonly attempt: number
}

/**
 * Sends one token request. Redirects are not followed, because the request contains the credential.
 *
 * @see RFC 6749 section 4.4.2, RFC 9700 section 4.9.1
 */
export function sendTokenRequest(
  request: TokenRequest,
  authenticate: ClientAuth,
  context: TokenEndpointContext,
  signal: AbortSignal,
): SentTokenRequest {
  const secrets: string[] = []
  const { tokenEndpoint, clientId, scope, resource, fmiPath, metadata } = request
  const headers = new Headers()
  const send = async () => {
    const response = await clientCredentialsGrantRequest(
      { issuer: tokenEndpoint, ...metadata, token_endpoint: tokenEndpoint },
      { client_id: clientId },
      authenticate,
      {
        ...(scope !== undefined && { scope }),
        ...(resource !== undefined && { resource }),
        ...(fmiPath !== undefined && { fmi_path: fmiPath }),
      },
      {
        signal,
        headers,
        // The options of the token source allow http for localhost only.
        [allowInsecureRequests]: true,
        [customFetch]: (url, init) => {
          for (const name of ['client_secret', 'client_assertion', 'assertion']) {
            const secret = init.body.get(name)
            if (secret) secrets.push(secret)
          }
          secrets.push(...basicSecrets(init.headers))
          return context.fetch(url, init as RequestInit)
        },
      },
    )
    return { status: response.status, headers: response.headers, body: await readBody(response) }
  }
  const attributes = requestAttributes('POST', new URL(tokenEndpoint), context.attempt)
  const answer = context.trace({ name: 'POST', attributes, headers }, async (setAttributes) => {
    const response = await send()
    setAttributes({ 'http.response.status_code': response.status })
    return response
  })
  return { answer, secrets }
}

/** The secret of HTTP Basic, alone and as it is sent. */
function basicSecrets(headers: Readonly<Record<string, string>>): readonly string[] {
  const [, pair] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? []
  if (pair === undefined) return []
  const [, encoded = ''] = atob(pair).split(':')
  return [pair, encoded, new URLSearchParams(`secret=${encoded}`).get('secret') ?? '']
}

/** Reads a response body of at most 64 KB. */
export async function readBody(response: Response): Promise<string | UnusableBodyError> {
  // A body that is compressed several times can be arbitrarily large (CVE-2026-22036).
  if (response.headers.get('content-encoding')?.includes(',')) {
    response.body?.cancel().catch(() => undefined)
    return new UnusableBodyError('it is compressed more than once')
  }
  try {
    return await readBoundedText(response, maxAnswerBytes)
  } catch (error) {
    if (error instanceof UnusableBodyError) return error
    throw error
  }
}
