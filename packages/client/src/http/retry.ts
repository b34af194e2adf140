// Folder: Requests with limits of time, size and repetition.

import type { ClientError } from '../errors.ts'
import { isTimeout } from '../network-fault.ts'
import type { Runtime } from '../runtime.ts'

// A longer pause is ignored, because the job would never run again.
const maxRetryAfterMs = 600_000

/** The limits of the pauses between attempts: of the first pause, and of every pause. */
export type Backoff = { readonly firstMs: number; readonly maxMs: number }

const betweenAttempts: Backoff = { firstMs: 250, maxMs: 5_000 }

/**
 * Reads `Retry-After`: the pause in milliseconds, at most ten minutes.
 *
 * @see RFC 9110 section 10.2.3
 */
export function readRetryAfter(headers: Headers, wallClockMs: number): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, maxRetryAfterMs)
  const until = Date.parse(value)
  if (Number.isNaN(until)) return undefined
  // Relative to the server's own clock if the answer has a `Date`, because our clock may be wrong.
  const serverNowMs = Date.parse(headers.get('date') ?? '')
  const fromMs = Number.isNaN(serverNowMs) ? wallClockMs : serverNowMs
  return Math.min(Math.max(until - fromMs, 0), maxRetryAfterMs)
}

/**
 * The pause before the next attempt, in milliseconds: `Retry-After` plus full jitter with a limit that
 * doubles. The jitter spreads clients that failed together.
 */
export function pauseMs(
  attempt: number,
  random: number,
  retryAfterMs = 0,
  { firstMs, maxMs }: Backoff = betweenAttempts,
): number {
  return retryAfterMs + random * Math.min(maxMs, firstMs * 2 ** (attempt - 1))
}

/** The outcome of one attempt. An error is transient, unless it is permanent. */
export type Attempt<Value> =
  | { readonly done: true; readonly value: Value }
  | {
      readonly done: false
      readonly error: ClientError
      readonly retryAfterMs?: number | undefined
      readonly isPermanent?: true
    }

export type RetryLimits = {
  readonly deadlineMs: number
  readonly attemptTimeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** The limits of one attempt. */
export type AttemptLimits = {
  /** From 1. */
  readonly number: number
  /** Aborted at the deadline of all attempts, or by the caller. */
  readonly deadline: AbortSignal
  /** Creates the signal of one request. Its time starts at the call. */
  readonly requestSignal: () => AbortSignal
}

/**
 * Repeats an attempt while its error is transient and the deadline allows another one. Rejects with
 * the last error, or with the reason of the caller's signal. If the deadline cut the last attempt
 * short, the rejection has the error before it, because that error has the cause.
 */
export async function retryUntilDeadline<Value>(
  runtime: Runtime,
  { deadlineMs, attemptTimeoutMs, signal }: RetryLimits,
  attempt: (limits: AttemptLimits) => Promise<Attempt<Value>>,
): Promise<Value> {
  const endMs = runtime.monotonicMs() + deadlineMs
  const timeout = runtime.timeoutSignal(deadlineMs)
  const deadline = signal ? AbortSignal.any([signal, timeout]) : timeout
  const requestSignal = () => AbortSignal.any([deadline, runtime.timeoutSignal(attemptTimeoutMs)])
  let before: ClientError | undefined
  for (let number = 1; ; number += 1) {
    signal?.throwIfAborted()
    const outcome = await attempt({ number, deadline, requestSignal })
    if (outcome.done) return outcome.value
    if (outcome.isPermanent) throw outcome.error
    signal?.throwIfAborted()
    const pause = pauseMs(number, runtime.random(), outcome.retryAfterMs)
    if (runtime.monotonicMs() + pause >= endMs)
      throw (timeout.aborted && isTimeout(outcome.error.details) && before) || outcome.error
    before = outcome.error
    await runtime.sleep(pause, signal)
  }
}
