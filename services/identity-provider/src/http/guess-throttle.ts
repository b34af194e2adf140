/** How many wrong credentials are answered as such, before the answer is "too many". */
export type GuessLimits = {
  /** For one client id, from wherever they come; in a minute. */
  readonly perClientPerMinute: number
  /** From one address, for whichever client; in a minute. */
  readonly perSourcePerMinute: number
}

type Bucket = { tokens: number; atMs: number }

const maxBuckets = 20_000
const minuteMs = 60_000

/**
 * Slows down who guesses.
 *
 * Only wrong credentials count, and only they are refused: whoever knows the right secret is served
 * however many others guess at it, so nobody can lock a client out.
 */
export class GuessThrottle {
  readonly #limits: GuessLimits
  readonly #monotonicNowMs: () => number
  // In the order of their last use, so that the idlest is forgotten first.
  readonly #buckets = new Map<string, Bucket>()

  constructor(limits: GuessLimits, monotonicNowMs: () => number = () => performance.now()) {
    this.#limits = limits
    this.#monotonicNowMs = monotonicNowMs
  }

  /**
   * Counts a wrong credential.
   *
   * @returns Undefined while the guesser may know that it was wrong; else the seconds to wait.
   */
  count(clientId: string, source: string): number | undefined {
    const { perClientPerMinute, perSourcePerMinute } = this.#limits
    const waits = [
      this.#take(`client ${clientId}`, perClientPerMinute),
      this.#take(`source ${source}`, perSourcePerMinute),
    ]
    const longestMs = Math.max(...waits)
    return longestMs > 0 ? Math.ceil(longestMs / 1000) : undefined
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
