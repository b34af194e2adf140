import { untilAborted } from './until-aborted.ts'

/** Ends a request that `RequestLimit` admitted. A second call does nothing. */
export type Release = () => void

/** Admits requests to one server, at most `maxRequests` at a time, in the order of their arrival. */
export class RequestLimit {
  #requestsInFlight = 0
  readonly #waiting = new Set<{ readonly maxRequests: number; readonly admit: () => void }>()

  get isIdle(): boolean {
    return this.#requestsInFlight === 0 && this.#waiting.size === 0
  }

  /** Resolves when the request may be sent, or rejects with the reason of the signal. */
  async acquire(maxRequests: number, signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted()
    if (this.#waiting.size > 0 || this.#requestsInFlight >= maxRequests) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const wait = { maxRequests, admit: resolve }
      this.#waiting.add(wait)
      await untilAborted(promise, signal).catch((reason) => {
        // An admitted request counts already, although its wait was aborted in the same turn.
        if (this.#waiting.delete(wait)) this.#admitNext()
        else this.#release()
        throw reason
      })
    } else this.#requestsInFlight += 1
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      // A connection is free one turn after its body was read. Earlier, `fetch` would open another one.
      if (this.#waiting.size > 0) setTimeout(() => this.#release(), 0)
      else this.#release()
    }
  }

  #release(): void {
    this.#requestsInFlight -= 1
    this.#admitNext()
  }

  #admitNext(): void {
    for (const wait of this.#waiting) {
      if (this.#requestsInFlight >= wait.maxRequests) return
      this.#waiting.delete(wait)
      this.#requestsInFlight += 1
      wait.admit()
    }
  }
}

// Limits belong to a server, so that all token sources of a process share them. Tests replace
// `fetch`, and must not share a limit with each other.
const limits = new WeakMap<typeof fetch, Map<string, RequestLimit>>()

/**
 * Runs a request when its origin has fewer than `maxRequests` in flight.
 *
 * @param maxRequests the limit of simultaneous requests to this origin, over all callers with the same `fetch`
 * @param signal ends the wait; it does not end a request that was admitted
 */
export async function withinRequestLimit<Value>(
  fetch: typeof globalThis.fetch,
  origin: string,
  maxRequests: number,
  signal: AbortSignal,
  send: () => Promise<Value>,
): Promise<Value> {
  const byOrigin = limits.get(fetch) ?? new Map<string, RequestLimit>()
  limits.set(fetch, byOrigin)
  const limit = byOrigin.get(origin) ?? new RequestLimit()
  byOrigin.set(origin, limit)
  try {
    const release = await limit.acquire(maxRequests, signal)
    try {
      return await send()
    } finally {
      release()
    }
  } finally {
    if (limit.isIdle) byOrigin.delete(origin)
  }
}
