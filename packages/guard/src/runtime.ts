/** What the guard takes from the world around it, so that a test can be that world. */
export type Runtime = {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Milliseconds since the epoch: only the time claims of tokens are held against it. */
  readonly wallClockMs: () => number
  /** Milliseconds that never run backwards: every wait, age and cooldown is measured by it. */
  readonly monotonicMs: () => number
  /** A number from 0 up to but not including 1. */
  readonly random: () => number
  /** Runs the task once after the delay; the result cancels it. */
  readonly schedule: (delayMs: number, task: () => void) => () => void
}

/** The world as Node has it. Its timers keep no process alive. */
export const systemRuntime: Runtime = {
  fetch: (url, init) => fetch(url, init),
  wallClockMs: Date.now,
  monotonicMs: () => performance.now(),
  random: Math.random,
  schedule: (delayMs, task) => {
    const timer = setTimeout(task, delayMs).unref()
    return () => clearTimeout(timer)
  },
}
