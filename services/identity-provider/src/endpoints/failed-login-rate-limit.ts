import { LeastRecentlyUsed } from '@greeting/directory/live'

/** The number of refusals before authentication that get a response with their reason. Further ones get 429. */
export type FailedLoginLimits = {
  /** Wrong credentials for one client ID, from all sources. */
  readonly perClientPerMinute: number
  /** Refusals before authentication from one source, for all clients. */
  readonly perSourcePerMinute: number
}

type Bucket = { tokens: number; atMs: number }

const maxBuckets = 20_000
const minuteMs = 60_000

/**
 * Limits how many refusals before authentication get a separate response and record.
 *
 * Only refused requests count. A correct request is always served, so that an attacker cannot lock
 * a client out. Each client ID and each source has a token bucket.
 */
export class FailedLoginRateLimit {
  /** The refusals beyond the limits, by source. */
  readonly beyondLimit = new RefusalTally()
  readonly #limits: FailedLoginLimits
  readonly #monotonicNowMs: () => number
  readonly #buckets = new LeastRecentlyUsed<Bucket>(maxBuckets)

  constructor(limits: FailedLoginLimits, monotonicNowMs: () => number = () => performance.now()) {
    this.#limits = limits
    this.#monotonicNowMs = monotonicNowMs
  }

  /**
   * Counts a refusal before authentication.
   *
   * @param clientId the client whose credentials were wrong; `undefined` for another refusal
   * @returns `undefined` below the limits; otherwise how many seconds the client must wait
   */
  count(clientId: string | undefined, source: string): number | undefined {
    const { perClientPerMinute, perSourcePerMinute } = this.#limits
    const waitMs = Math.max(
      clientId === undefined ? 0 : this.#take(`client ${clientId}`, perClientPerMinute),
      this.#take(`source ${source}`, perSourcePerMinute),
    )
    if (waitMs === 0) return undefined
    this.beyondLimit.count(source)
    return Math.ceil(waitMs / 1000)
  }

  /** Takes one token from the bucket. Returns 0, or the milliseconds until the next token. */
  #take(key: string, perMinute: number): number {
    const nowMs = this.#monotonicNowMs()
    const bucket = this.#buckets.use(key) ?? { tokens: perMinute, atMs: nowMs }
    const refilled = bucket.tokens + ((nowMs - bucket.atMs) / minuteMs) * perMinute
    bucket.tokens = Math.min(perMinute, refilled)
    bucket.atMs = nowMs
    this.#buckets.set(key, bucket)
    this.#buckets.trim()
    if (bucket.tokens < 1) return ((1 - bucket.tokens) / perMinute) * minuteMs
    bucket.tokens -= 1
    return 0
  }
}

const maxSources = 1000
const otherSources = 'other sources'

/** Counts refusals by source, so that not each of them needs a record. */
export class RefusalTally {
  #counts = new Map<string, number>()

  count(source: string): void {
    const key = this.#counts.has(source) || this.#counts.size < maxSources ? source : otherSources
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** Returns the counts since the last call, and resets them. */
  take(): ReadonlyMap<string, number> {
    const counts = this.#counts
    this.#counts = new Map()
    return counts
  }
}
