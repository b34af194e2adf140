/** The successful answer of the token endpoint, RFC 6749 section 5.1. */
export type TokenAnswer = {
  readonly token_type: 'Bearer'
  readonly access_token: string
  readonly expires_in: number
}

/** The identity provider refused a token request. */
export class TokenRequestError extends Error {
  readonly code = 'token_request_refused'
  override readonly name = 'TokenRequestError'
  readonly status: number
  /** The member `error` of the answer, such as `invalid_client`. */
  readonly error: string
  /** The numbers in AADSTS codes, such as 7000215. */
  readonly errorCodes: readonly number[]

  constructor(status: number, { error = '', error_description: text, error_codes }: RefusalBody) {
    super(`The token request was refused with status ${status}: ${text ?? error}`)
    this.status = status
    this.error = error
    this.errorCodes = error_codes ?? []
  }
}

type RefusalBody = {
  readonly error?: string
  readonly error_description?: string
  readonly error_codes?: readonly number[]
}

/**
 * Requests a token by the client credentials grant, over HTTP.
 *
 * @param endpoint the token endpoint of a tenant
 * @param form client, scope and client authentication
 * @throws {TokenRequestError} token_request_refused with the code of the identity provider
 * @see RFC 6749 section 4.4.2
 */
export async function requestToken(
  endpoint: string,
  form: Readonly<Record<string, string>>,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<TokenAnswer> {
  const response = await fetch(endpoint, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', ...form }),
  })
  if (response.ok) return (await response.json()) as TokenAnswer
  throw new TokenRequestError(response.status, await response.json().catch(() => ({})))
}
