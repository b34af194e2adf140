/** What the client needs from the world around it; every part can be replaced, in tests above all. */
export type Runtime = {
  readonly fetch: typeof fetch
  /** Wall clock, in milliseconds since the Unix epoch. */
  readonly wallClockMs: () => number
  /** A clock that is never set, in milliseconds since any fixed moment. */
  readonly monotonicMs: () => number
  /** Resolves after `durationMs`; rejects with the signal's reason when it is aborted before. */
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number
  /** A signal that is aborted with a `TimeoutError` after `durationMs`. */
  readonly timeoutSignal: (durationMs: number) => AbortSignal
}

function sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, durationMs)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** The world as it is: only what Node, Bun, Deno and workerd have in common. */
export const realRuntime: Runtime = {
  // Looked up at each call, so that a `fetch` that was instrumented later is the one used.
  fetch: (input, init) => globalThis.fetch(input, init),
  wallClockMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep,
  random: () => Math.random(),
  // Only whole numbers will do.
  timeoutSignal: (durationMs) => AbortSignal.timeout(Math.ceil(durationMs)),
}
