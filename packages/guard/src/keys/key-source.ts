import type { EventListener } from '../guard-event.ts'
import type { Runtime } from '../runtime.ts'
import { type KeySet, readKeySet } from './key-set.ts'
import { KeySetError, requestKeySet } from './key-set-request.ts'
import type { VerificationKey } from './verification-key.ts'

/** Where the keys of an issuer are published, and how often they are asked for. */
export type KeySourceSettings = {
  readonly url: string
  readonly tenantId: string | undefined
  /** Between two refreshes in good times; each is up to a tenth earlier, so that a fleet spreads. */
  readonly refreshSeconds: number
  /** Between the last attempt, failed or not, and one that an unknown `kid` causes. */
  readonly cooldownSeconds: number
  /** How long the last good set is relied on while no refresh succeeds. */
  readonly ceilingSeconds: number
  readonly timeoutMs: number
}

const firstRetryMs = 1000
const longestRetryMs = 30_000
/** Without any set nothing can be decided, so a provider that comes up is found within this. */
const longestRetryBeforeFirstSetMs = 2000

/**
 * The keys of one published key set, held by `kid` and refreshed in the background.
 *
 * A question never pays for a refresh unless its `kid` is unknown, and a flood of unknown `kid`s
 * causes no more than one attempt per cooldown, in good times and in bad.
 */
export class KeySource {
  readonly settings: KeySourceSettings
  readonly #runtime: Runtime
  readonly #listener: EventListener
  #keys: ReadonlyMap<string, VerificationKey> = new Map()
  #lastAttemptMs = Number.NEGATIVE_INFINITY
  #lastSuccessMs = Number.NEGATIVE_INFINITY
  #nextAttemptMs = Number.NEGATIVE_INFINITY
  #failures = 0
  #staleTold = false
  #attempt: Promise<void> | undefined
  #cancelNext = () => {}
  #stopped = false

  constructor(settings: KeySourceSettings, runtime: Runtime, listener: EventListener) {
    this.settings = settings
    this.#runtime = runtime
    this.#listener = listener
  }

  /** The keys in hand, by `kid`. */
  get keys(): ReadonlyMap<string, VerificationKey> {
    return this.#keys
  }

  /** False before the first good set and once the last one is older than the ceiling. */
  get isUsable(): boolean {
    return this.ageSeconds < this.settings.ceilingSeconds
  }

  /** Seconds since the last good set; infinite before the first. */
  get ageSeconds(): number {
    return (this.#runtime.monotonicMs() - this.#lastSuccessMs) / 1000
  }

  /** True when the last attempt succeeded: a `kid` that is not in hand was not published then. */
  get isConfirmed(): boolean {
    return this.#failures === 0 && this.isUsable
  }

  /** Whole seconds, at least 1, until it is worth asking again. */
  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil((this.#nextAttemptMs - this.#runtime.monotonicMs()) / 1000))
  }

  /** Begins the refreshes; resolves after the first attempt, whether or not it succeeded. */
  start(): Promise<void> {
    this.#stopped = false
    return this.#attempt ?? this.#refresh()
  }

  /** Ends the refreshes. The keys in hand stay. */
  stop(): void {
    this.#stopped = true
    this.#cancelNext()
  }

  /**
   * The attempt to wait for when a key is missing: the one in flight, or a new one when the cooldown
   * allows it. Undefined when the answer stands as it is.
   */
  lookAgain(): Promise<void> | undefined {
    if (this.#attempt !== undefined) return this.#attempt
    const sinceAttemptMs = this.#runtime.monotonicMs() - this.#lastAttemptMs
    return sinceAttemptMs >= this.settings.cooldownSeconds * 1000 ? this.#refresh() : undefined
  }

  #refresh(): Promise<void> {
    this.#cancelNext()
    this.#lastAttemptMs = this.#runtime.monotonicMs()
    this.#attempt = this.#askAndJudge()
      .then(
        (set) => this.#succeed(set),
        (error) => this.#fail(error),
      )
      .finally(() => {
        this.#attempt = undefined
      })
    return this.#attempt
  }

  async #askAndJudge(): Promise<KeySet> {
    const { url, timeoutMs, tenantId } = this.settings
    const bytes = await requestKeySet(url, timeoutMs, this.#runtime)
    const set = readKeySet(bytes, tenantId, this.#keys)
    if (typeof set === 'string') throw new KeySetError(set, `the key set at ${url}: ${set}`)
    return set
  }

  #succeed({ keys, unused }: KeySet): void {
    const { url, refreshSeconds } = this.settings
    const before = this.#keys
    this.#keys = keys
    this.#lastSuccessMs = this.#runtime.monotonicMs()
    this.#failures = 0
    this.#staleTold = false
    this.#scheduleNext(refreshSeconds * 1000 * (1 - 0.1 * this.#runtime.random()))
    for (const [kid, key] of before) {
      if (keys.get(kid) === key) continue
      key.isPublished = false
      this.#listener({ type: 'key_gone', url, kid })
    }
    for (const [kid, key] of keys) {
      if (before.get(kid) !== key) this.#listener({ type: 'key_added', url, kid })
    }
    for (const { kid, fault } of unused) this.#listener({ type: 'key_unused', url, kid, fault })
    this.#listener({ type: 'key_set_refreshed', url, keys: keys.size })
  }

  #fail(error: KeySetError): void {
    this.#failures += 1
    const longestMs = this.#keys.size > 0 ? longestRetryMs : longestRetryBeforeFirstSetMs
    const backoffMs = Math.min(firstRetryMs * 2 ** (this.#failures - 1), longestMs)
    const nextAttemptMs = backoffMs * (1 - 0.2 * this.#runtime.random())
    this.#scheduleNext(nextAttemptMs)
    const { url } = this.settings
    this.#listener({ type: 'key_set_refresh_failed', url, error, nextAttemptMs })
    if (this.#keys.size > 0 && !this.isUsable && !this.#staleTold) {
      this.#staleTold = true
      this.#listener({ type: 'key_set_stale', url })
    }
  }

  #scheduleNext(delayMs: number): void {
    this.#nextAttemptMs = this.#runtime.monotonicMs() + delayMs
    if (this.#stopped) return
    this.#cancelNext = this.#runtime.schedule(delayMs, () => void this.#refresh())
  }
}
