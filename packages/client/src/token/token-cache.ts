import type { OnEvent } from '../events.ts'
import { untilAborted } from '../http/until-aborted.ts'
import type { Runtime } from '../runtime.ts'
import type { CachedToken } from './cached-token.ts'
import { createCachedToken } from './cached-token.ts'

/**
 * A store that several processes have in common. Whoever can read it can use the tokens in it. A
 * store that fails is a miss, never a failure.
 */
export type TokenCache = {
  readonly get: (key: string) => Promise<string | null | undefined>
  /** Keeps a value; it is worth nothing after `lifetimeSeconds`. */
  readonly set: (key: string, value: string, lifetimeSeconds: number) => Promise<unknown>
  /** Runs the work while no other process runs work for this key, if the store can do that. */
  readonly exclusively?: <Value>(key: string, work: () => Promise<Value>) => Promise<Value>
}

// A store is asked before every token request, so a slow one would make every job slow.
const patienceMs = 1_000
const lockPatienceMs = 6_000
// How far ahead of ours the clock of the process may have been that wrote the entry.
const toleratedAheadMs = 60_000

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

/** The place of one token source's token in a common store. */
export class SharedToken {
  readonly #cache: TokenCache
  readonly #keyParts: readonly string[]
  readonly #runtime: Runtime
  readonly #emit: OnEvent
  #key: Promise<string> | undefined

  /** @param keyParts All that tells this token from others; only a digest of them leaves the process. */
  constructor(cache: TokenCache, keyParts: readonly string[], runtime: Runtime, emit: OnEvent) {
    this.#cache = cache
    this.#keyParts = keyParts
    this.#runtime = runtime
    this.#emit = emit
  }

  async read(): Promise<CachedToken | undefined> {
    const nowMs = this.#runtime.wallClockMs()
    try {
      const text = await this.#patiently(this.#cache.get(await this.#digest()))
      const entry = text ? parseEntry(text) : undefined
      if (entry === undefined || entry.obtainedMs > nowMs + toleratedAheadMs) return undefined
      const ageMs = Math.max(nowMs - entry.obtainedMs, 0)
      return createCachedToken(entry.token, entry.lifetimeSeconds, this.#runtime, ageMs)
    } catch (error) {
      this.#failed('get', error)
      return undefined
    }
  }

  async write({ token, obtainedWallClockMs, lifetimeMs }: CachedToken): Promise<void> {
    const lifetimeSeconds = lifetimeMs / 1000
    const entry: Entry = { token, obtainedMs: obtainedWallClockMs, lifetimeSeconds }
    try {
      const key = await this.#digest()
      await this.#patiently(this.#cache.set(key, JSON.stringify(entry), lifetimeSeconds))
    } catch (error) {
      this.#failed('set', error)
    }
  }

  /**
   * Runs the work, alone among processes if the store can do that. A store that does not let it
   * begin in time is not waited for.
   */
  async exclusively<Value>(work: () => Promise<Value>): Promise<Value> {
    const { exclusively } = this.#cache
    if (exclusively === undefined) return work()
    const begun = Promise.withResolvers<void>()
    let running: Promise<Value> | undefined
    const begin = () => {
      running ??= work()
      begun.resolve()
      return running
    }
    const locked = Promise.resolve(this.#digest().then((key) => exclusively(key, begin)))
    const signal = this.#runtime.timeoutSignal(lockPatienceMs)
    await untilAborted(Promise.race([begun.promise, locked]), signal).catch((error) =>
      this.#failed('get', error),
    )
    locked.catch(() => undefined)
    return begin()
  }

  #patiently<Value>(work: Promise<Value>): Promise<Value> {
    return untilAborted(work, this.#runtime.timeoutSignal(patienceMs))
  }

  #failed(operation: 'get' | 'set', error: unknown): void {
    // Only the kind of fault: what a store says about its content may be the content.
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
