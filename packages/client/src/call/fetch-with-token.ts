// Folder: Calls an API with a token, and repeats safe requests.

import { noTrace, type OnEvent, safeListener, type Trace } from '../hooks.ts'
import { retryUntilDeadline } from '../http/retry.ts'
import { secureUrl } from '../http/secure-url.ts'
import {
  aFunction,
  anObject,
  numberBetween,
  type OptionRules,
  objectWith,
  required,
  validateOptions,
} from '../option-rules.ts'
import { type Runtime, systemRuntime } from '../runtime.ts'
import type { TokenSource } from '../token/token-source.ts'
import { ApiCall, type ReadAnswer } from './api-call.ts'

/** The options of `fetchWithToken`. */
export type FetchWithTokenOptions = {
  /** URL of the API. The token is sent to its origin only. */
  readonly baseUrl: string
  /** The source of the access tokens, as `createTokenSource` makes it. */
  readonly tokens: TokenSource
  /** The deadline of a call with token and retries, in milliseconds: 1 to 600000, default 30000. */
  readonly deadlineMs?: number
  /** The timeout of one request, in milliseconds: 1 to 600000, default 10000. */
  readonly attemptTimeoutMs?: number
  /** Receives events for logs and metrics. */
  readonly onEvent?: OnEvent
  /** Runs every request within a span. */
  readonly trace?: Trace
  /** Replaces clocks, `fetch`, sleep or randomness. */
  readonly runtime?: Partial<Runtime>
}

const rules: OptionRules<FetchWithTokenOptions> = {
  baseUrl: required(secureUrl),
  tokens: required(objectWith('token', 'drop')),
  deadlineMs: numberBetween(1, 600_000),
  attemptTimeoutMs: numberBetween(1, 600_000),
  onEvent: aFunction,
  trace: aFunction,
  runtime: anObject,
}

/** The options of a call, in addition to the options of `fetch`. */
export type CallInit<Value = Response> = Omit<RequestInit, 'redirect'> & {
  /** The application role that the endpoint requires. The error names it if it is missing. */
  readonly role?: string
  /** Reads the answer within the attempt, so that a body that breaks off is also retried. */
  readonly read?: ReadAnswer<Value>
}

/**
 * Like `fetch`, with a token. Resolves with every response except 401, a 403 whose code is not
 * Microsoft Graph's `Directory_QuotaExceeded`, and transient errors.
 */
export type FetchWithToken = <Value = Response>(
  path: string | URL,
  init?: CallInit<Value>,
) => Promise<Value>

const returnResponse: ReadAnswer<Response> = async (response) => response

/** Appends a path to the path of the base URL, which may be the prefix of a gateway. */
function resolve(base: URL, path: string | URL): URL {
  if (path instanceof URL || !path.startsWith('/')) return new URL(path, base)
  return new URL(base.href.replace(/\/$/, '') + path)
}

/**
 * Creates a `fetch` for one API that sends a token from the source.
 *
 * After a 401 the token is dropped, and the call is repeated once with a new token. A 403 is never
 * repeated. 429, 502, 503, 504 and a broken connection are repeated for idempotent methods, after
 * `Retry-After` and until the deadline. A redirect to another origin does not receive the token.
 *
 * The call rejects with the reason of an aborted `signal`, and with a `TypeError` if the URL does not
 * belong to the API.
 *
 * @throws {TypeError} lists every invalid option
 * @see RFC 6750 sections 2.1 and 3.1
 * @example
 * const call = fetchWithToken({ baseUrl: 'https://api.example', tokens })
 * const response = await call('/api/v1/orders', { role: 'ReadOrders' })
 */
export function fetchWithToken(options: FetchWithTokenOptions): FetchWithToken {
  validateOptions('fetchWithToken', options, rules)
  const { tokens, deadlineMs = 30_000, attemptTimeoutMs = 10_000, trace = noTrace } = options
  const base = new URL(options.baseUrl)
  const runtime = { ...systemRuntime, ...options.runtime }
  const context = { tokens, runtime, trace, emit: safeListener(options.onEvent) }

  return async <Value = Response>(path: string | URL, callInit: CallInit<Value> = {}) => {
    const { role, read = returnResponse as ReadAnswer<Value>, ...init } = callInit
    const url = resolve(base, path)
    if (url.origin !== base.origin)
      throw new TypeError(`the token is for ${base.origin} only, not for ${url.origin}`)
    const call = new ApiCall<Value>(context, { url, init, role, read })
    const limits = { deadlineMs, attemptTimeoutMs, signal: init.signal ?? undefined }
    return retryUntilDeadline(runtime, limits, (attemptLimits) => call.attempt(attemptLimits))
  }
}
