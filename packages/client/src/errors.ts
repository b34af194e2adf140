/** What a server said about its refusal, as far as it said it. */
export type ServerWords = {
  readonly status?: number
  /** The OAuth error code (RFC 6749, section 5.2; RFC 6750, section 3.1). */
  readonly oauthError?: string
  /** The number of Microsoft Entra ID's refusal, as in AADSTS7000215. */
  readonly aadstsCode?: number
  /** Names this request in the logs of the authorization server. */
  readonly correlationId?: string
  readonly traceId?: string
}

export type Wait = {
  /** How long the server asked to be left alone, in milliseconds. */
  readonly retryAfterMs?: number
  readonly attempts?: number
}

/** What each failure carries besides its sentence. The codes are closed: there are no others. */
export type ClientErrorDetails = {
  readonly credential_unreadable: Record<string, never>
  readonly credential_refused: ServerWords
  readonly token_refused: ServerWords
  readonly authority_unreachable: ServerWords & Wait
  readonly authority_answer_invalid: ServerWords
  readonly token_rejected: ServerWords
  readonly role_missing: ServerWords & { readonly role?: string }
  readonly request_refused: ServerWords
  readonly api_unreachable: ServerWords & Wait
  readonly api_answer_invalid: ServerWords
}

export type ClientErrorCode = keyof ClientErrorDetails

/** What a caller can do about each failure, where the server's own code does not say more. */
export const remedies: Readonly<Record<ClientErrorCode, string>> = {
  credential_unreadable:
    'Check that the file of the credential exists and that this process may read it, or that the function that returns the assertion works.',
  credential_refused:
    'Create a new client secret for this client (or register its certificate), and give that one.',
  token_refused:
    'Check the tenant, the client ID and the scope against the registrations at the identity provider.',
  authority_unreachable:
    'Check that the identity provider runs and that its URL is right; then try again.',
  authority_answer_invalid:
    'Check that the URL is that of the identity provider and that no proxy answers in its place.',
  token_rejected:
    'Check that the API trusts this identity provider and this tenant, that the scope is the one of this API, and that the clocks agree.',
  role_missing:
    'Grant the role to the client: add it to the application permissions that the client requests, then grant admin consent. A token that was issued before does not change.',
  request_refused: 'Mend the request: sent again as it is, it will be refused again.',
  api_unreachable: 'Check that the API runs and that its URL is right; then try again.',
  api_answer_invalid:
    'Check that the URL is that of the API and that no proxy answers in its place.',
}

/**
 * A failure that a caller can act on: `code` says which, `remedy` what can be done about it, and
 * `details` what the server said. None of them ever holds a token or a secret.
 */
export class ClientError<Code extends ClientErrorCode = ClientErrorCode> extends Error {
  override readonly name = 'ClientError'
  readonly code: Code
  readonly remedy: string
  readonly details: ClientErrorDetails[Code]

  constructor(
    code: Code,
    message: string,
    details: ClientErrorDetails[Code],
    options: { cause?: unknown; remedy?: string | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.remedy = options.remedy ?? remedies[code]
    this.details = details
  }

  toJSON(): object {
    const { code, message, remedy, details } = this
    return { code, message, remedy, ...details }
  }
}

/** Every failure of this library, as a union that narrows by `code`. */
export type ClientFailure = { [Code in ClientErrorCode]: ClientError<Code> }[ClientErrorCode]

/** Whether an error is one of this library's, so that `code` narrows it. */
export function isClientFailure(error: unknown): error is ClientFailure {
  return error instanceof ClientError
}
