import {
  allowInsecureRequests,
  type ClientAuth,
  clientCredentialsGrantRequest,
  customFetch,
} from 'oauth4webapi'
import { readBounded, UnusableBody } from '../http/bounded-body.ts'
import { requestAttributes, type Trace } from '../tracing.ts'

// An honest answer has some 2 KB.
const answerLimitBytes = 65_536

export type TokenRequest = {
  readonly tokenEndpoint: string
  readonly clientId: string
  readonly scope: string
}

/** What came back from the token endpoint, not yet judged. */
export type TokenResponse = {
  readonly status: number
  readonly headers: Headers
  readonly body: string | UnusableBody
}

/** A token request that has begun: its answer, and the secrets that no text of it may repeat. */
export type TokenConversation = {
  readonly answer: Promise<TokenResponse>
  readonly secrets: readonly string[]
}

export type RequestRuntime = {
  readonly fetch: typeof fetch
  readonly trace: Trace
  readonly attempt: number
}

/**
 * Sends one token request; follows no redirect, because the request carries the credential.
 * Judges nothing.
 *
 * @see RFC 6749, section 4.4.2; RFC 9700, section 4.9.1
 */
export function requestToken(
  request: TokenRequest,
  authenticate: ClientAuth,
  line: RequestRuntime,
  signal: AbortSignal,
): TokenConversation {
  const secrets: string[] = []
  const { tokenEndpoint, clientId, scope } = request
  const headers = new Headers()
  const ask = async () => {
    const response = await clientCredentialsGrantRequest(
      { issuer: tokenEndpoint, token_endpoint: tokenEndpoint },
      { client_id: clientId },
      authenticate,
      { scope },
      {
        signal,
        headers,
        // Which hosts may be spoken to without TLS was judged when the token source was made.
        [allowInsecureRequests]: true,
        [customFetch]: (url, init) => {
          for (const name of ['client_secret', 'client_assertion']) {
            const secret = init.body.get(name)
            if (secret) secrets.push(secret)
          }
          return line.fetch(url, init as RequestInit)
        },
      },
    )
    return { status: response.status, headers: response.headers, body: await readBody(response) }
  }
  const attributes = requestAttributes('POST', new URL(tokenEndpoint), line.attempt)
  const answer = line.trace({ name: 'POST', attributes, headers }, async (setAttributes) => {
    const received = await ask()
    setAttributes({ 'http.response.status_code': received.status })
    return received
  })
  return { answer, secrets }
}

async function readBody(response: Response): Promise<string | UnusableBody> {
  // Compression upon compression makes a small answer as large as it likes (CVE-2026-22036).
  if (response.headers.get('content-encoding')?.includes(',')) {
    response.body?.cancel().catch(() => undefined)
    return new UnusableBody('it is compressed more than once')
  }
  try {
    return await readBounded(response, answerLimitBytes)
  } catch (error) {
    if (error instanceof UnusableBody) return error
    throw error
  }
}
