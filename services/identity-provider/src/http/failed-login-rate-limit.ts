import { RefusalTally } from './refusal-tally.ts'

/** How many refusals are answered as such, before the answer is "too many". */
export type FailedLoginLimits = {
  /** Wrong credentials for one client id, from all sources; in a minute. */
  readonly perClientPerMinute: number
  /** Refusals before authentication from one source, for all clients; in a minute. */
  readonly perSourcePerMinute: number
}

type Bucket = { tokens: number; atMs: number }

const maxBuckets = 20_000
const minuteMs = 60_000

/**
 * Limits how many refusals before authentication are answered and recorded one by one.
 *
 * Only refused requests count. A correct request is served however many others are refused, so
 * nobody can lock a client out.
 */
export class FailedLoginRateLimit {
  /** The refusals beyond the limit. */
  readonly beyondLimit = new RefusalTally()
  readonly #limits: FailedLoginLimits
  readonly #monotonicNowMs: () => number
  // In the order of their last use, so that the idlest is forgotten first.
  readonly #buckets = new Map<string, Bucket>()

  constructor(limits: FailedLoginLimits, monotonicNowMs: () => number = () => performance.now()) {
    this.#limits = limits
    this.#monotonicNowMs = monotonicNowMs
  }

  /**
   * Counts a refusal before authentication.
   *
   * @param clientId The client whose credentials were wrong; undefined when nobody guessed at any.
   * @returns Undefined below the limits; else the seconds to wait.
   */
  count(clientId: string | undefined, source: string): number | undefined {
    const { perClientPerMinute, perSourcePerMinute } = this.#limits
    const longestMs = Math.max(
      clientId === undefined ? 0 : this.#take(`client ${clientId}`, perClientPerMinute),
      this.#take(`source ${source}`, perSourcePerMinute),
    )
    if (longestMs === 0) return undefined
    this.beyondLimit.count(source)
    return Math.ceil(longestMs / 1000)
  }

  /** Takes one token; the milliseconds until there is one when there is none. */
  #take(key: string, perMinute: number): number {
    const nowMs = this.#monotonicNowMs()
    const bucket = this.#buckets.get(key) ?? { tokens: perMinute, atMs: nowMs }
    const refilled = bucket.tokens + ((nowMs - bucket.atMs) / minuteMs) * perMinute
    bucket.tokens = Math.min(perMinute, refilled)
    bucket.atMs = nowMs
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > maxBuckets) this.#forgetIdlest()
    if (bucket.tokens < 1) return ((1 - bucket.tokens) / perMinute) * minuteMs
    bucket.tokens -= 1
    return 0
  }

  #forgetIdlest(): void {
    for (const key of this.#buckets.keys()) {
      this.#buckets.delete(key)
      return
    }
  }
}
