/** The clocks, timers, randomness and `fetch` of the guard. Tests replace them. */
export type Runtime = {
  /** Fetches a key set. Redirects are not followed. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Milliseconds since the epoch. Used only for the time claims of tokens. */
  readonly wallClockMs: () => number
  /** Monotonic clock in milliseconds. Used for every wait, age and cooldown. */
  readonly monotonicMs: () => number
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number
  /** Runs the task once after the delay. The returned function cancels it. */
  readonly schedule: (delayMs: number, task: () => void) => () => void
  /** Keeps the runtime running until the promise is settled. Workers need it, to read keys after an answer. */
  readonly waitUntil: (promise: Promise<void>) => void
}

/** The runtime of this process. Its timers do not keep the process alive. */
export const systemRuntime: Runtime = {
  fetch: (url, init) => fetch(url, init),
  wallClockMs: Date.now,
  monotonicMs: () => performance.now(),
  random: Math.random,
  schedule: (delayMs, task) => {
    const timer = setTimeout(task, delayMs)
    // A timer of workerd is a number.
    if (typeof timer === 'object') timer.unref()
    return () => clearTimeout(timer)
  },
  waitUntil: () => {},
}
