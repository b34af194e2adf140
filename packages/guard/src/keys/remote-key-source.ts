import type { EventListener } from '../guard-event.ts'
import type { Runtime } from '../runtime.ts'
import { type KeySet, readKeySet } from './key-set.ts'
import { KeySetError, requireUsable } from './key-set-error.ts'
import { fetchKeySet } from './key-set-request.ts'
import { announceKeyChanges, announceUnusedKeys, type KeySource } from './key-source.ts'
import type { VerificationKey } from './verification-key.ts'

/** Where the keys of an issuer are published, and how often they are fetched. */
export type RemoteKeySourceSettings = {
  readonly url: string
  readonly tenantId: string | undefined
  /** Between two successful refreshes. Each is up to a tenth earlier, so that a fleet spreads. */
  readonly refreshSeconds: number
  /** Between the last attempt, failed or not, and the next one for an unknown `kid`. */
  readonly cooldownSeconds: number
  /** Maximum age of the last good set while refreshes fail. */
  readonly ceilingSeconds: number
  readonly timeoutMs: number
  /** Admits the public keys of `@greeting/testing`; default false. */
  readonly acceptsTestKeys?: boolean
}

const firstRetryMs = 1000
const maxRetryMs = 30_000
/** Without any key set, every request fails. So a provider that starts is found sooner. */
const maxRetryBeforeFirstSetMs = 2000

/**
 * The keys of one published key set, refreshed in the background.
 *
 * A request waits for a refresh only if its `kid` is unknown. A flood of unknown `kid`s causes at
 * most one attempt per cooldown, also while the provider is down.
 */
export class RemoteKeySource implements KeySource {
  readonly settings: RemoteKeySourceSettings
  readonly #runtime: Runtime
  readonly #emit: EventListener
  #keys: ReadonlyMap<string, VerificationKey> = new Map()
  #lastAttemptMs = Number.NEGATIVE_INFINITY
  #lastSuccessMs = Number.NEGATIVE_INFINITY
  #nextAttemptMs = Number.NEGATIVE_INFINITY
  #failures = 0
  #isStaleReported = false
  #unusedReported = ''
  #attempt: Promise<void> | undefined
  #cancelNext = () => {}
  #isStopped = false

  constructor(settings: RemoteKeySourceSettings, runtime: Runtime, emit: EventListener) {
    this.settings = settings
    this.#runtime = runtime
    this.#emit = emit
  }

  get url(): string {
    return this.settings.url
  }

  get keys(): ReadonlyMap<string, VerificationKey> {
    return this.#keys
  }

  /** False before the first good set, and when the last one is older than the ceiling. */
  get isUsable(): boolean {
    return this.ageSeconds < this.settings.ceilingSeconds
  }

  get ageSeconds(): number {
    return (this.#runtime.monotonicMs() - this.#lastSuccessMs) / 1000
  }

  get isConfirmed(): boolean {
    return this.#failures === 0 && this.isUsable
  }

  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil((this.#nextAttemptMs - this.#runtime.monotonicMs()) / 1000))
  }

  /** Starts a refresh that is due. On workerd, no timer of an earlier request does. */
  update(): void {
    const isDue = this.#runtime.monotonicMs() >= this.#nextAttemptMs
    if (!isDue || this.#isStopped || this.#failures + this.#keys.size === 0) return
    if (this.#attemptInFlight === undefined) this.#runtime.waitUntil(this.#refresh())
  }

  start(): Promise<void> {
    this.#isStopped = false
    return this.#attemptInFlight ?? this.#refresh()
  }

  /** Stops the refreshes. The current keys stay. */
  stop(): void {
    this.#isStopped = true
    this.#cancelNext()
  }

  /** The attempt in flight, or a new one if the cooldown is over. */
  refreshForUnknownKey(): Promise<void> | undefined {
    if (this.#attemptInFlight !== undefined) return this.#attemptInFlight
    if (this.#sinceAttemptMs < this.settings.cooldownSeconds * 1000) return undefined
    const attempt = this.#refresh()
    // Other requests may wait for this attempt, after the first one has ended.
    this.#runtime.waitUntil(attempt)
    return attempt
  }

  get #sinceAttemptMs(): number {
    return this.#runtime.monotonicMs() - this.#lastAttemptMs
  }

  /** workerd drops the attempt of a request that ended early: such a promise is never settled. */
  get #attemptInFlight(): Promise<void> | undefined {
    return this.#sinceAttemptMs < 2 * this.settings.timeoutMs ? this.#attempt : undefined
  }

  #refresh(): Promise<void> {
    this.#cancelNext()
    this.#lastAttemptMs = this.#runtime.monotonicMs()
    const attempt = this.#fetchKeySet()
      .then(
        (set) => this.#succeed(set),
        (error) => this.#fail(error),
      )
      .finally(() => {
        if (this.#attempt === attempt) this.#attempt = undefined
      })
    this.#attempt = attempt
    return attempt
  }

  async #fetchKeySet(): Promise<KeySet> {
    const { url, timeoutMs, tenantId, acceptsTestKeys } = this.settings
    const bytes = await fetchKeySet(url, timeoutMs, this.#runtime)
    const set = readKeySet(bytes, tenantId, this.#keys, acceptsTestKeys)
    return requireUsable(set, `the key set at ${url}`)
  }

  #succeed(set: KeySet): void {
    const { url, refreshSeconds } = this.settings
    const before = this.#keys
    this.#keys = set.keys
    this.#lastSuccessMs = this.#runtime.monotonicMs()
    this.#failures = 0
    this.#isStaleReported = false
    this.#unusedReported = ''
    this.#scheduleNext(refreshSeconds * 1000 * (1 - 0.1 * this.#runtime.random()))
    announceKeyChanges(url, before, set, this.#emit)
    this.#emit({ type: 'key_set_refreshed', url, keys: set.keys.size })
  }

  #fail(cause: unknown): void {
    const { url } = this.settings
    const message = `the key set at ${url} could not be read`
    const error =
      cause instanceof KeySetError ? cause : new KeySetError('unreachable', message, cause)
    this.#failures += 1
    const maxMs = this.#keys.size > 0 ? maxRetryMs : maxRetryBeforeFirstSetMs
    const backoffMs = Math.min(firstRetryMs * 2 ** (this.#failures - 1), maxMs)
    const nextAttemptMs = backoffMs * (1 - 0.2 * this.#runtime.random())
    this.#scheduleNext(nextAttemptMs)
    this.#reportUnused(error)
    this.#emit({ type: 'key_set_refresh_failed', url, error, nextAttemptMs })
    if (this.#keys.size > 0 && !this.isUsable && !this.#isStaleReported) {
      this.#isStaleReported = true
      this.#emit({ type: 'key_set_stale', url })
    }
  }

  /** Once for the same keys, because a failed refresh is repeated every few seconds. */
  #reportUnused({ unused }: KeySetError): void {
    const text = JSON.stringify(unused)
    if (unused.length > 0 && text !== this.#unusedReported) {
      announceUnusedKeys(this.settings.url, unused, this.#emit)
      this.#unusedReported = text
    }
  }

  #scheduleNext(delayMs: number): void {
    this.#nextAttemptMs = this.#runtime.monotonicMs() + delayMs
    if (this.#isStopped) return
    this.#cancelNext = this.#runtime.schedule(delayMs, () => void this.#refresh())
  }
}
