import { type OnEvent, safeListener } from '../events.ts'
import { retryUntilDeadline } from '../http/retry.ts'
import { secureUrl } from '../http/secure-url.ts'
import {
  aFunction,
  anObject,
  judgeOptions,
  numberBetween,
  type OptionRules,
  objectWith,
  required,
} from '../option-rules.ts'
import { type Runtime, realRuntime } from '../runtime.ts'
import type { TokenSource } from '../token/token-source.ts'
import { type Trace, untraced } from '../tracing.ts'
import { ApiCall, type ReadAnswer } from './api-call.ts'

export type FetchWithTokenOptions = {
  /** URL of the API. The token goes to its origin, and nowhere else. */
  readonly baseUrl: string
  readonly tokens: TokenSource
  /** How long a call may take, token and retries included, in milliseconds: 1 to 600000, default 30000. */
  readonly deadlineMs?: number
  /** How long one request may take, in milliseconds: 1 to 600000, default 10000. */
  readonly attemptTimeoutMs?: number
  /** Told what happens; for logs and metrics. */
  readonly onEvent?: OnEvent
  /** Runs every request within a span. */
  readonly trace?: Trace
  /** Parts of the world to replace: clock, `fetch`, sleep, randomness. */
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

/** What a call may say besides what `fetch` knows. */
export type CallInit<Value = Response> = Omit<RequestInit, 'redirect'> & {
  /** The application role that the endpoint demands, to be named when it is missing. */
  readonly role?: string
  /** Reads the answer within the attempt, so that a connection cut in mid-body is retried too. */
  readonly read?: ReadAnswer<Value>
}

/** Like `fetch`, with a token; resolves with every answer but 401, 403, and what kept being busy. */
export type FetchWithToken = <Value = Response>(
  path: string | URL,
  init?: CallInit<Value>,
) => Promise<Value>

const asItIs: ReadAnswer<Response> = async (response) => response

/** A path continues the path of the base URL, which may be a prefix behind a gateway. */
function resolve(base: URL, path: string | URL): URL {
  if (path instanceof URL || !path.startsWith('/')) return new URL(path, base)
  return new URL(base.href.replace(/\/$/, '') + path)
}

/**
 * Makes a `fetch` for one API that sends a token from the source.
 *
 * A 401 drops the token, if it is still the one that was refused, and is tried once more with a new
 * one. A 403 is never tried again. 429, 502, 503, 504 and a broken connection are tried again, for
 * idempotent methods, as `Retry-After` says and while the deadline allows. Redirects lose the token
 * when they leave the origin.
 *
 * The call rejects with the reason of its `signal` when that is aborted, and with a `TypeError` when
 * the URL is not one of the API.
 *
 * @throws {TypeError} when options are missing, unknown or wrong; all faults are told together.
 * @see RFC 6750, sections 2.1 and 3.1
 * @example
 * const call = fetchWithToken({ baseUrl: 'https://api.example', tokens })
 * const response = await call('/api/v1/orders', { role: 'ReadOrders' })
 */
export function fetchWithToken(options: FetchWithTokenOptions): FetchWithToken {
  judgeOptions('fetchWithToken', options, rules)
  const { tokens, deadlineMs = 30_000, attemptTimeoutMs = 10_000, trace = untraced } = options
  const base = new URL(options.baseUrl)
  const runtime = { ...realRuntime, ...options.runtime }
  const line = { tokens, runtime, trace, emit: safeListener(options.onEvent) }

  return async <Value = Response>(path: string | URL, callInit: CallInit<Value> = {}) => {
    const { role, read = asItIs as ReadAnswer<Value>, ...init } = callInit
    const url = resolve(base, path)
    if (url.origin !== base.origin) {
      throw new TypeError(`the token is for ${base.origin} only, not for ${url.origin}`)
    }
    const call = new ApiCall<Value>(line, { url, init, role, read })
    const limits = { deadlineMs, attemptTimeoutMs, signal: init.signal ?? undefined }
    return retryUntilDeadline(runtime, limits, (attemptLimits) => call.attempt(attemptLimits))
  }
}
