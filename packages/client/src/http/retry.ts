import type { ClientError } from '../errors.ts'
import type { Runtime } from '../runtime.ts'

// A server that asks for more than this is not believed: a job would never run again.
const longestRetryAfterMs = 600_000

/** The ceilings of the pauses: the first, and the one under which all others stay. */
export type Backoff = { readonly firstMs: number; readonly longestMs: number }

const betweenAttempts: Backoff = { firstMs: 250, longestMs: 5_000 }

/**
 * How long an answer asks to be left alone, in milliseconds, at most ten minutes.
 *
 * @see RFC 9110, section 10.2.3
 */
export function readRetryAfter(headers: Headers, wallClockMs: number): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, longestRetryAfterMs)
  const until = Date.parse(value)
  if (Number.isNaN(until)) return undefined
  // Measured on the server's own clock when it tells it, since ours may be an hour off.
  const serverNowMs = Date.parse(headers.get('date') ?? '')
  const fromMs = Number.isNaN(serverNowMs) ? wallClockMs : serverNowMs
  return Math.min(Math.max(until - fromMs, 0), longestRetryAfterMs)
}

/**
 * The pause before the next attempt, in milliseconds: full jitter under a ceiling that doubles, so
 * that clients that failed together do not return together; after what the server asked for, if it did.
 */
export function pauseMs(
  attempt: number,
  random: number,
  retryAfterMs = 0,
  { firstMs, longestMs }: Backoff = betweenAttempts,
): number {
  return retryAfterMs + random * Math.min(longestMs, firstMs * 2 ** (attempt - 1))
}

/** What one attempt came to: an end, or a fault that may pass. */
export type Attempt<Value> =
  | { readonly done: true; readonly value: Value }
  | {
      readonly done: false
      readonly error: ClientError
      readonly retryAfterMs?: number | undefined
    }

export type RetryLimits = {
  readonly deadlineMs: number
  readonly attemptTimeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** What one attempt has to keep to. */
export type AttemptLimits = {
  /** From 1. */
  readonly number: number
  /** Aborted at the deadline of them all, or by the caller. */
  readonly deadline: AbortSignal
  /** A signal for one request, whose time begins now. */
  readonly requestSignal: () => AbortSignal
}

/**
 * Repeats an attempt while its fault may pass and the deadline is far enough for another one.
 * Rejects with the fault of the last attempt, or with the reason of the caller's signal.
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
  for (let number = 1; ; number += 1) {
    signal?.throwIfAborted()
    const outcome = await attempt({ number, deadline, requestSignal })
    if (outcome.done) return outcome.value
    signal?.throwIfAborted()
    const pause = pauseMs(number, runtime.random(), outcome.retryAfterMs)
    if (runtime.monotonicMs() + pause >= endMs) throw outcome.error
    await runtime.sleep(pause, signal)
  }
}
