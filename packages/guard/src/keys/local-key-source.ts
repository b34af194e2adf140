import type { EventListener } from '../guard-event.ts'
import { admitKeys, type KeySet } from './key-set.ts'
import { KeySetError, requireUsable } from './key-set-error.ts'
import { announceKeyChanges, type KeySource } from './key-source.ts'
import type { VerificationKey } from './verification-key.ts'

/** Returns the current keys of an issuer as JSON Web Keys (RFC 7517). */
export type PublishedKeys = () => readonly object[]

const empty: KeySet = { keys: new Map(), unused: [] }

/**
 * The keys that a function of this process returns.
 *
 * The function is called for each request, so a revoked key is not accepted again. If it returns no
 * usable key, the previous keys are dropped: unlike a failed request, its result is authoritative.
 */
export class LocalKeySource implements KeySource {
  readonly url: string
  readonly #publishedKeys: PublishedKeys
  readonly #tenantId: string | undefined
  readonly #emit: EventListener
  readonly #acceptsTestKeys: boolean
  #keys: ReadonlyMap<string, VerificationKey> = empty.keys
  #lastRead: readonly object[] | undefined
  #lastJson = ''

  constructor(
    issuer: string,
    publishedKeys: PublishedKeys,
    tenantId: string | undefined,
    emit: EventListener,
    acceptsTestKeys = false,
  ) {
    this.url = issuer
    this.#publishedKeys = publishedKeys
    this.#tenantId = tenantId
    this.#emit = emit
    this.#acceptsTestKeys = acceptsTestKeys
  }

  get keys(): ReadonlyMap<string, VerificationKey> {
    return this.#keys
  }

  get isUsable(): boolean {
    return this.#keys.size > 0
  }

  get isConfirmed(): boolean {
    return this.isUsable
  }

  get ageSeconds(): number {
    return this.isUsable ? 0 : Number.POSITIVE_INFINITY
  }

  readonly retryAfterSeconds = 1

  /** Admits the keys again only if they changed, because admission costs more than a verification. */
  update(): void {
    let published: readonly object[]
    let json: string
    try {
      published = this.#publishedKeys()
      if (isSameList(published, this.#lastRead)) return
      json = JSON.stringify(published)
    } catch (error) {
      this.#lastRead = undefined
      this.#lastJson = ''
      this.#fail(new KeySetError('unreachable', `the keys of ${this.url} could not be read`, error))
      return
    }
    this.#lastRead = [...published]
    if (json === this.#lastJson) return
    this.#lastJson = json
    const admitted = admitKeys(published, this.#tenantId, this.#keys, this.#acceptsTestKeys)
    let set: KeySet
    try {
      set = requireUsable(admitted, `the keys of ${this.url}`)
    } catch (error) {
      if (!(error instanceof KeySetError)) throw error
      this.#fail(error)
      return
    }
    this.#replace(set)
    this.#emit({ type: 'key_set_refreshed', url: this.url, keys: set.keys.size })
  }

  async start(): Promise<void> {
    this.update()
  }

  stop(): void {}

  refreshForUnknownKey(): undefined {
    return undefined
  }

  #replace(set: KeySet): void {
    const before = this.#keys
    this.#keys = set.keys
    announceKeyChanges(this.url, before, set, this.#emit)
  }

  #fail(error: KeySetError): void {
    this.#replace({ ...empty, unused: error.unused })
    this.#emit({ type: 'key_set_refresh_failed', url: this.url, error, nextAttemptMs: 0 })
  }
}

function isSameList(list: readonly object[], other: readonly object[] | undefined): boolean {
  return list.length === other?.length && list.every((item, index) => item === other[index])
}
