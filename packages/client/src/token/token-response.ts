import { type ServerErrorDetails, tokenTooLargeRemedy } from '../errors.ts'
import { UnusableBodyError } from '../http/bounded-body.ts'
import { readRetryAfter } from '../http/retry.ts'
import type { TokenResponse } from './token-endpoint.ts'

// Longer than the default lifetimes of Microsoft Entra ID. A longer lifetime is cut to this.
const maxLifetimeSeconds = 86_400
const maxTokenCharacters = 16_384
const maxDescriptionCharacters = 500

/** A response of the token endpoint, as a token or an error. */
export type TokenResult =
  | { readonly kind: 'issued'; readonly token: string; readonly lifetimeSeconds: number }
  | { readonly kind: 'refused'; readonly details: ServerErrorDetails; readonly description: string }
  | {
      readonly kind: 'unavailable'
      readonly details: ServerErrorDetails
      readonly description: string
      readonly retryAfterMs?: number | undefined
    }
  | {
      readonly kind: 'unusable'
      readonly details: ServerErrorDetails
      readonly description: string
      readonly isTransient: boolean
      readonly remedy?: string
      /** Whether another program answers at this URL. */
      readonly isOther?: boolean
    }

type Json = Readonly<Record<string, unknown>>

function parseObject(body: TokenResponse['body']): Json | undefined {
  if (body instanceof UnusableBodyError) return undefined
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Json) : undefined
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

type Redact = (text: string) => string

/** The server's `error_description`, on one line. */
function descriptionOf(json: Json, redact: Redact): string {
  const line = redact(textOf(json.error_description)).replaceAll(/\p{Cc}+/gu, ' ')
  // A regular expression for the spaces before it would take quadratic time.
  const end = line.indexOf(' Trace ID: ')
  return (end === -1 ? line : line.slice(0, end)).trim().slice(0, maxDescriptionCharacters)
}

function errorDetailsOf(status: number, json: Json, redact: Redact): ServerErrorDetails {
  const description = textOf(json.error_description)
  const code = Number(/^AADSTS(\d{1,9})\b/.exec(description)?.[1])
  const id = (name: string) => /^[0-9a-fA-F-]{1,64}$/.exec(redact(textOf(json[name])))?.[0]
  const oauthError = /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/.exec(redact(textOf(json.error)))?.[0]
  const correlationId = id('correlation_id')
  const traceId = id('trace_id')
  return {
    status,
    ...(oauthError && { oauthError }),
    ...(code && { aadstsCode: code }),
    ...(correlationId && { correlationId }),
    ...(traceId && { traceId }),
  }
}

/** The lifetime in seconds. It is 0 if `expires_in` is missing or invalid. */
function lifetimeOf(expiresIn: unknown): number {
  // The v1 endpoint sends the number as a string (entra E13).
  const text = typeof expiresIn === 'string' && /^\d+$/.test(expiresIn)
  const seconds = text ? Number(expiresIn) : expiresIn
  if (typeof seconds !== 'number' || !(seconds > 0)) return 0
  return Math.min(seconds, maxLifetimeSeconds)
}

function readIssuedToken(details: ServerErrorDetails, json: Json): TokenResult {
  const unusable = (description: string): TokenResult & { readonly kind: 'unusable' } => ({
    kind: 'unusable',
    details,
    description,
    isTransient: false,
  })
  const { access_token: token, token_type: type } = json
  // RFC 6750 section 2.1. Other characters are not valid in a header, and the error of the HTTP
  // library would contain the token.
  if (typeof token !== 'string' || !/^[A-Za-z0-9._~+/-]+=*$/.test(token))
    return unusable('it holds no usable access_token')
  if (token.length > maxTokenCharacters) {
    const size = `its access_token has ${token.length} characters, more than ${maxTokenCharacters}`
    return { ...unusable(size), remedy: tokenTooLargeRemedy }
  }
  // RFC 6749 section 5.1: compared without case. A token of an unknown type must not be used.
  if (textOf(type).toLowerCase() !== 'bearer') return unusable('its token_type is not Bearer')
  return { kind: 'issued', token, lifetimeSeconds: lifetimeOf(json.expires_in) }
}

// RFC 6749 section 5.2. An API may have an `error` of its own in a 404.
const oauthErrors =
  /^(invalid_(request|client|grant|scope|resource|target)|unauthorized_client|unsupported_grant_type)$/

/** Whether the answer is a page, or says that path or method do not exist, and has no error of OAuth. */
const isOfOtherProgram = ({ status, headers }: TokenResponse, details: ServerErrorDetails) =>
  (status === 404 || status === 405 || /^text\/html/i.test(headers.get('content-type') ?? '')) &&
  !details.aadstsCode &&
  !oauthErrors.test(details.oauthError ?? '')

const transientErrors = new Set(['temporarily_unavailable', 'server_error', 'slow_down'])

/**
 * Reads a response of the token endpoint. Unknown members are ignored.
 *
 * @param withoutSecrets removes the secrets of the request from a text
 * @see RFC 6749 sections 5.1 and 5.2
 */
export function readTokenResponse(
  answer: TokenResponse,
  wallClockMs: number,
  withoutSecrets: Redact,
): TokenResult {
  const { status, headers } = answer
  const json = parseObject(answer.body)
  const details = errorDetailsOf(status, json ?? {}, withoutSecrets)
  const description =
    descriptionOf(json ?? {}, withoutSecrets) || details.oauthError || `HTTP status ${status}`
  if (status === 200) {
    if (json) return readIssuedToken(details, json)
    if (!(answer.body instanceof UnusableBodyError)) {
      const isOther = isOfOtherProgram(answer, details)
      return {
        kind: 'unusable',
        details,
        description: 'it is not JSON',
        isTransient: true,
        isOther,
      }
    }
  }
  const isBusy = status === 429 || status === 408 || status >= 500
  if (isBusy || transientErrors.has(details.oauthError ?? '')) {
    const retryAfterMs = readRetryAfter(headers, wallClockMs)
    return { kind: 'unavailable', details, description, retryAfterMs }
  }
  // The server would send the same body again.
  if (answer.body instanceof UnusableBodyError)
    return { kind: 'unusable', details, description: answer.body.message, isTransient: false }
  const isOther = status >= 400 && isOfOtherProgram(answer, details)
  if (status >= 400 && details.oauthError && !isOther)
    return { kind: 'refused', details, description }
  const problem =
    status >= 300 && status < 400 ? 'a redirect, which is not followed' : 'no OAuth error'
  const text = `${problem} (HTTP status ${status})`
  return { kind: 'unusable', details, description: text, isTransient: false, isOther }
}
