import type { ServerWords } from '../errors.ts'
import { UnusableBody } from '../http/bounded-body.ts'
import { readRetryAfter } from '../http/retry.ts'
import type { TokenResponse } from './token-endpoint.ts'

// Longer than Microsoft Entra ID issues to anybody who does not ask for more; what claims to live
// longer is renewed after this.
const longestLifetimeSeconds = 86_400
const longestTokenCharacters = 16_384
const longestSentenceCharacters = 500

/** What a token answer means. */
export type TokenResult =
  | { readonly kind: 'granted'; readonly token: string; readonly lifetimeSeconds: number }
  | { readonly kind: 'refused'; readonly words: ServerWords; readonly sentence: string }
  | {
      readonly kind: 'unavailable'
      readonly words: ServerWords
      readonly sentence: string
      readonly retryAfterMs?: number | undefined
    }
  | {
      readonly kind: 'nonsense'
      readonly words: ServerWords
      readonly sentence: string
      readonly mayPass: boolean
    }

type Json = Readonly<Record<string, unknown>>

function parseObject(body: TokenResponse['body']): Json | undefined {
  if (body instanceof UnusableBody) return undefined
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Json) : undefined
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

type Clean = (text: string) => string

/** The server's sentence, fit for one line of a log. */
function sentenceOf(json: Json, clean: Clean): string {
  const line = clean(textOf(json.error_description)).replaceAll(/\p{Cc}+/gu, ' ')
  // A regular expression for the blanks before it would take quadratic time.
  const end = line.indexOf(' Trace ID: ')
  return (end === -1 ? line : line.slice(0, end)).trim().slice(0, longestSentenceCharacters)
}

function wordsOf(status: number, json: Json, clean: Clean): ServerWords {
  const description = textOf(json.error_description)
  const code = Number(/^AADSTS(\d{1,9})\b/.exec(description)?.[1])
  const id = (name: string) => /^[0-9a-fA-F-]{1,64}$/.exec(clean(textOf(json[name])))?.[0]
  const oauthError = /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/.exec(clean(textOf(json.error)))?.[0]
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

/** Seconds that the token may be kept: none when the server does not say it in a way to rely on. */
function lifetimeOf(expiresIn: unknown): number {
  // The v1 endpoint sends the number as a string (entra E13).
  const text = typeof expiresIn === 'string' && /^\d+$/.test(expiresIn)
  const seconds = text ? Number(expiresIn) : expiresIn
  if (typeof seconds !== 'number' || !(seconds > 0)) return 0
  return Math.min(seconds, longestLifetimeSeconds)
}

function judgeGrant(words: ServerWords, json: Json): TokenResult {
  const nonsense = (sentence: string): TokenResult => ({
    kind: 'nonsense',
    words,
    sentence,
    mayPass: false,
  })
  const { access_token: token, token_type: type } = json
  // RFC 6750, section 2.1. Anything else could not stand in a header, or would end up in the error
  // of the one who tries to put it there.
  if (typeof token !== 'string' || !/^[A-Za-z0-9._~+/-]+=*$/.test(token)) {
    return nonsense('it holds no usable access_token')
  }
  if (token.length > longestTokenCharacters) return nonsense('its access_token is too long')
  // RFC 6749, section 5.1: compared without regard to case; an unknown type must not be used.
  if (textOf(type).toLowerCase() !== 'bearer') return nonsense('its token_type is not Bearer')
  return { kind: 'granted', token, lifetimeSeconds: lifetimeOf(json.expires_in) }
}

const throttledInAnyStatus = new Set(['temporarily_unavailable', 'server_error', 'slow_down'])

/**
 * Judges what the token endpoint answered. Unknown members are ignored.
 *
 * @param withoutSecrets Takes out of the server's words what the request held.
 * @see RFC 6749, sections 5.1 and 5.2
 */
export function readTokenResponse(
  answer: TokenResponse,
  wallClockMs: number,
  withoutSecrets: Clean,
): TokenResult {
  const { status, headers } = answer
  const json = parseObject(answer.body)
  const words = wordsOf(status, json ?? {}, withoutSecrets)
  const sentence =
    sentenceOf(json ?? {}, withoutSecrets) || words.oauthError || `HTTP status ${status}`
  if (status === 200) {
    if (json) return judgeGrant(words, json)
    if (!(answer.body instanceof UnusableBody))
      return { kind: 'nonsense', words, sentence: 'it is not JSON', mayPass: true }
  }
  const busy = status === 429 || status === 408 || status >= 500
  if (busy || throttledInAnyStatus.has(words.oauthError ?? '')) {
    const retryAfterMs = readRetryAfter(headers, wallClockMs)
    return { kind: 'unavailable', words, sentence, retryAfterMs }
  }
  // The server answers; what it sends would not fit or read better a moment later.
  if (answer.body instanceof UnusableBody)
    return { kind: 'nonsense', words, sentence: answer.body.message, mayPass: false }
  if (status >= 400 && words.oauthError) return { kind: 'refused', words, sentence }
  const what =
    status >= 300 && status < 400 ? 'a redirect, which is not followed' : 'no OAuth error'
  return { kind: 'nonsense', words, sentence: `${what} (HTTP status ${status})`, mayPass: false }
}
