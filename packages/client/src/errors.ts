import type { NetworkFaultName } from './network-fault.ts'

/** The details of an error response, as far as the server sends them. */
export type ServerErrorDetails = {
  readonly status?: number
  /** The OAuth error code (RFC 6749 section 5.2, RFC 6750 section 3.1). */
  readonly oauthError?: string
  /** The error number of Microsoft Entra ID, as in AADSTS7000215. */
  readonly aadstsCode?: number
  /** Identifies this request in the logs of the authorization server. */
  readonly correlationId?: string
  /** The error code of Microsoft Graph, as in `CredentialInvalidLifetimeAsPerAppPolicy`. */
  readonly graphError?: string
  readonly traceId?: string
}

type RetryDetails = {
  /** The pause that the server requested, in milliseconds. */
  readonly retryAfterMs?: number
  readonly attempts?: number
}

type NetworkDetails = {
  /** The cause of a failed connection; absent when the server answered. */
  readonly fault?: NetworkFaultName
}

/** The details of each failure, by code. The list is complete. */
export type ClientErrorDetails = {
  readonly credential_unreadable: Record<string, never>
  readonly credential_refused: ServerErrorDetails
  readonly token_refused: ServerErrorDetails
  readonly authority_unreachable: ServerErrorDetails & RetryDetails & NetworkDetails
  readonly authority_answer_invalid: ServerErrorDetails
  readonly token_rejected: ServerErrorDetails
  readonly role_missing: ServerErrorDetails & { readonly role?: string }
  readonly request_refused: ServerErrorDetails
  readonly api_unreachable: ServerErrorDetails & RetryDetails & NetworkDetails
  readonly api_answer_invalid: ServerErrorDetails
}

/** The codes of all failures of this library. */
export type ClientErrorCode = keyof ClientErrorDetails

/** The remedy for each failure, unless the server's own code has a more specific one. */
export const remedies: Readonly<Record<ClientErrorCode, string>> = {
  credential_unreadable:
    'Check that the file of the credential exists and that this process may read it, or that the function that returns the assertion works.',
  credential_refused:
    'Create a new client secret for this client (or register its certificate), and use it.',
  token_refused:
    'Check the tenant, the client ID and the scope against the registrations at the identity provider.',
  authority_unreachable:
    'Check that the identity provider runs and that its URL is correct. Then try again.',
  authority_answer_invalid:
    'Check that the URL belongs to the identity provider, and that no proxy answers instead.',
  token_rejected:
    'Check that the API trusts this identity provider and this tenant, that the scope is the one of this API, and that the clocks agree.',
  role_missing:
    'Grant the role to the client: add it to the application permissions that the client requests, then grant admin consent. A token that was issued before does not change.',
  request_refused: 'Correct the request. The API refuses the same request again.',
  api_unreachable: 'Check that the API runs and that its URL is correct. Then try again.',
  api_answer_invalid: 'Check that the URL belongs to the API, and that no proxy answers instead.',
}

/** The remedy for a token that a server refuses for its size. */
export const tokenTooLargeRemedy =
  'The token contains too many roles for the header fields of a request. Grant the client fewer roles of this API, or divide the API into several.'

// A program may contain two copies of this package. Each recognizes the errors of the other.
const mark = Symbol.for('@greeting/client.error')

/** A failure with a `code`, a `remedy` and the `details` from the server. None of them contains a token or a secret. */
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
    Object.defineProperty(this, mark, { value: true })
  }

  /** One line: what failed and why, and the remedy. */
  override toString(): string {
    return `${this.message.replace(/\.$/, '')}. ${this.remedy}`
  }

  toJSON(): object {
    const { code, message, remedy, details } = this
    return { code, message, remedy, ...details }
  }
}

/** Every failure of this library, as a union that narrows by `code`. */
export type ClientFailure = { [Code in ClientErrorCode]: ClientError<Code> }[ClientErrorCode]

/**
 * True for an error of this library, also of another copy. Then `code` narrows its type.
 * @example
 * try {
 *   await tokens.token()
 * } catch (error) {
 *   if (isClientFailure(error)) throw new Error(error.remedy, { cause: error })
 * }
 */
export function isClientFailure(error: unknown): error is ClientFailure {
  return error instanceof Error && mark in error
}
