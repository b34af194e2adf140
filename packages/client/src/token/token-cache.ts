import type { OnEvent } from '../hooks.ts'
import { untilAborted } from '../http/until-aborted.ts'
import type { Runtime } from '../runtime.ts'

/**
 * A token cache that processes share. A program that can read it can use its tokens. An error of the
 * cache counts as a miss.
 */
export type TokenCache = {
  readonly get: (key: string) => Promise<string | null | undefined>
  /** Stores a value, which expires after `lifetimeSeconds`. */
  readonly set: (key: string, value: string, lifetimeSeconds: number) => Promise<unknown>
  /** Runs the work while no other process runs work for this key. Optional. */
  readonly exclusively?: <Value>(key: string, work: () => Promise<Value>) => Promise<Value>
}

// The cache is read before every token request, so a slow cache would slow down every job.
const timeoutMs = 1_000
const lockTimeoutMs = 6_000
// Accepted difference to the clock of the process that wrote the entry.
const toleratedSkewMs = 60_000

type Entry = {
  readonly token: string
  readonly obtainedMs: number
  readonly lifetimeSeconds: number
}

function parseEntry(text: string): Entry | undefined {
  const entry: unknown = JSON.parse(text)
  if (typeof entry !== 'object' || entry === null) return undefined
  const { token, obtainedMs, lifetimeSeconds } = entry as Partial<Entry>
  const usable =
    typeof token === 'string' &&
    /^[A-Za-z0-9._~+/-]+=*$/.test(token) &&
    typeof obtainedMs === 'number' &&
    typeof lifetimeSeconds === 'number'
  return usable ? { token, obtainedMs, lifetimeSeconds } : undefined
}

/** The entry of one token source in a shared cache. */
export class SharedTokenStore {
  readonly #cache: TokenCache
  readonly #keyParts: readonly string[]
  readonly #runtime: Runtime
  readonly #emit: OnEvent
  #key: Promise<string> | undefined

  /** @param keyParts identify the token; only their digest leaves the process */
  constructor(cache: TokenCache, keyParts: readonly string[], runtime: Runtime, emit: OnEvent) {
    this.#cache = cache
    this.#keyParts = keyParts
    this.#runtime = runtime
    this.#emit = emit
  }

  async read(): Promise<CachedToken | undefined> {
    const nowMs = this.#runtime.wallClockMs()
    try {
      const text = await this.#withTimeout(this.#cache.get(await this.#digest()))
      const entry = text ? parseEntry(text) : undefined
      if (entry === undefined || entry.obtainedMs > nowMs + toleratedSkewMs) return undefined
      const ageMs = Math.max(nowMs - entry.obtainedMs, 0)
      return createCachedToken(entry.token, entry.lifetimeSeconds, this.#runtime, ageMs)
    } catch (error) {
      this.#reportFailure('get', error)
      return undefined
    }
  }

  async write({ token, obtainedWallClockMs, lifetimeMs }: CachedToken): Promise<void> {
    const lifetimeSeconds = lifetimeMs / 1000
    const entry: Entry = { token, obtainedMs: obtainedWallClockMs, lifetimeSeconds }
    try {
      const key = await this.#digest()
      await this.#withTimeout(this.#cache.set(key, JSON.stringify(entry), lifetimeSeconds))
    } catch (error) {
      this.#reportFailure('set', error)
    }
  }

  /**
   * Runs the work exclusively, if the cache supports it. If the lock takes too long, the work runs
   * without it.
   */
  async exclusively<Value>(work: () => Promise<Value>): Promise<Value> {
    const { exclusively } = this.#cache
    if (exclusively === undefined) return work()
    const started = Promise.withResolvers<void>()
    let running: Promise<Value> | undefined
    const start = () => {
      running ??= work()
      started.resolve()
      return running
    }
    const locked = Promise.resolve(this.#digest().then((key) => exclusively(key, start)))
    const signal = this.#runtime.timeoutSignal(lockTimeoutMs)
    await untilAborted(Promise.race([started.promise, locked]), signal).catch((error) =>
      this.#reportFailure('get', error),
    )
    locked.catch(() => undefined)
    return start()
  }

  #withTimeout<Value>(work: Promise<Value>): Promise<Value> {
    return untilAborted(work, this.#runtime.timeoutSignal(timeoutMs))
  }

  #reportFailure(operation: 'get' | 'set', error: unknown): void {
    // Only the name of the error, because its message may contain the entry.
    const message = error instanceof Error ? error.name : typeof error
    this.#emit({ type: 'cache_failed', operation, message })
  }

  #digest(): Promise<string> {
    this.#key ??= crypto.subtle
      .digest('SHA-256', new TextEncoder().encode(JSON.stringify(this.#keyParts)))
      .then((digest) =>
        Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join(''),
      )
    return this.#key
  }
}

/** A token with its lifetime. The token itself is opaque. */
export type CachedToken = {
  readonly token: string
  readonly lifetimeMs: number
  readonly obtainedWallClockMs: number
  readonly obtainedMonotonicMs: number
  /** The age at which it is renewed in the background. */
  readonly renewalAgeMs: number
}

// The renewal is at a random moment in this part of the lifetime, so that clients whose tokens expire
// in the same second do not renew in the same second.
const earliestRenewal = 0.4
const latestRenewal = 0.9

/** Creates a cached token that was issued `ageMs` ago. */
export function createCachedToken(
  token: string,
  lifetimeSeconds: number,
  runtime: Runtime,
  ageMs = 0,
): CachedToken {
  const lifetimeMs = lifetimeSeconds * 1000
  const share = earliestRenewal + runtime.random() * (latestRenewal - earliestRenewal)
  return {
    token,
    lifetimeMs,
    obtainedWallClockMs: runtime.wallClockMs() - ageMs,
    obtainedMonotonicMs: runtime.monotonicMs() - ageMs,
    renewalAgeMs: share * lifetimeMs,
  }
}

/**
 * The larger age of two clocks. A wall clock may be set back, and a monotonic clock may stop while a
 * machine sleeps.
 */
function ageMs(cached: CachedToken, runtime: Runtime): number {
  return Math.max(
    runtime.wallClockMs() - cached.obtainedWallClockMs,
    runtime.monotonicMs() - cached.obtainedMonotonicMs,
  )
}

/** True if the token is still valid after `marginMs`. */
export function isUsable(cached: CachedToken, marginMs: number, runtime: Runtime): boolean {
  return ageMs(cached, runtime) < cached.lifetimeMs - marginMs
}

/** True if the token should be renewed in the background. */
export function isRenewalDue(cached: CachedToken, runtime: Runtime): boolean {
  return ageMs(cached, runtime) >= cached.renewalAgeMs
}
