/** The clocks, timers, randomness, `fetch` and headers of the client. Tests replace them. */
export type Runtime = {
  /** Sends every request, of tokens and to the API. */
  readonly fetch: typeof fetch
  /** Creates the headers of a request to an API. */
  readonly createHeaders: (init?: HeadersInit) => Headers
  /** Wall clock, in milliseconds since the Unix epoch. */
  readonly wallClockMs: () => number
  /** A clock that is never set, in milliseconds. */
  readonly monotonicMs: () => number
  /** Resolves after `durationMs`, or rejects with the signal's reason. */
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number
  /** A signal that is aborted with a `TimeoutError` after `durationMs`. */
  readonly timeoutSignal: (durationMs: number) => AbortSignal
}

function sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, durationMs)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** The runtime of this process. It uses only APIs of Node, Bun, Deno and workerd. */
export const systemRuntime: Runtime = {
  // Looked up at each call, so that later instrumentation of `fetch` takes effect.
  fetch: (input, init) => globalThis.fetch(input, init),
  createHeaders: (init) => new Headers(init),
  wallClockMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep,
  random: () => Math.random(),
  // `AbortSignal.timeout` requires an integer.
  timeoutSignal: (durationMs) => AbortSignal.timeout(Math.ceil(durationMs)),
}
