import { KeyCache } from './key-cache.ts'
import type { KeyEncryptionKey } from './key-encryption-key.ts'
import { type KeyActor, keyEvents, system } from './key-event.ts'
import { keyPhases } from './key-phase.ts'
import {
  activeKey,
  type KeyRing,
  type KeyState,
  keyStates,
  keysLacking,
  maintain,
  nextKey,
  revoke,
  rotate,
} from './key-ring.ts'
import { firstRing, type KeyRingStore, type RingCommit } from './key-ring-store.ts'
import { type KeySchedule, type KeyScheduleOptions, keyScheduleSchema } from './key-schedule.ts'
import type { PublishedKey } from './published-key.ts'
import { SigningError } from './signing-error.ts'
import type { NewSigningKey, SigningKey } from './signing-key.ts'
import { generateSigningKey } from './signing-key-generation.ts'
import type { KeyMembers } from './token-signer.ts'

export type SigningKeysOptions = {
  readonly store: KeyRingStore
  readonly keyEncryptionKey: KeyEncryptionKey
  readonly schedule: KeyScheduleOptions
  /** The maximum age of the ring that signs, in milliseconds; default 1000. */
  readonly maxAgeMs?: number
  /** How long `sign` waits for the store, in milliseconds; default 2000. */
  readonly patienceMs?: number
  readonly now?: () => Date
  /** Monotonic clock in milliseconds; default `performance.now`. */
  readonly monotonicNowMs?: () => number
  /** Makes a key; default `generateSigningKey`. */
  readonly generate?: typeof generateSigningKey
  /** Makes the mark of a commit; default a random UUID. */
  readonly newMark?: () => string
  /** Called when the store does not have the followed commit any more, with its latest commit. */
  readonly onReversal?: (followed: RingCommit, latest: RingCommit) => void
}

const attemptsPerChange = 100

/**
 * The signing keys of the server: signs tokens, publishes the key set and rotates the keys.
 *
 * A ring in memory over a store that replicas share. The owner must call `refresh` several times per
 * `maxAgeMs`, and `tend` periodically.
 */
export class SigningKeys {
  readonly #store: KeyRingStore
  readonly #keyEncryptionKey: KeyEncryptionKey
  readonly #schedule: KeySchedule
  readonly #maxAgeMs: number
  readonly #patienceMs: number
  readonly #now: () => Date
  readonly #monotonicNowMs: () => number
  readonly #generate: typeof generateSigningKey
  readonly #newMark: () => string
  readonly #onReversal: (followed: RingCommit, latest: RingCommit) => void
  readonly #loaded: KeyCache
  /** The commit that the ring is the state of: another object after each change of the ring. */
  #followed = firstRing
  #ring: KeyRing = []
  #asOfMs = Number.NEGATIVE_INFINITY
  #refreshing: Promise<void> | undefined

  private constructor(options: SigningKeysOptions) {
    this.#store = options.store
    this.#keyEncryptionKey = options.keyEncryptionKey
    this.#schedule = keyScheduleSchema.parse(options.schedule)
    this.#maxAgeMs = options.maxAgeMs ?? 1000
    this.#patienceMs = options.patienceMs ?? 2000
    this.#now = options.now ?? (() => new Date())
    this.#monotonicNowMs = options.monotonicNowMs ?? (() => performance.now())
    this.#generate = options.generate ?? generateSigningKey
    this.#newMark = options.newMark ?? (() => crypto.randomUUID())
    this.#onReversal = options.onReversal ?? (() => {})
    this.#loaded = new KeyCache(options.keyEncryptionKey)
  }

  /**
   * Reads the ring, opens every key, and makes the first keys when there are none.
   *
   * @throws {ZodError} when the schedule would break verifiers.
   * @throws {SigningError} key_encryption_key_wrong, sealed_key_corrupt when a key cannot be opened;
   *   nothing is written then.
   */
  static async open(options: SigningKeysOptions): Promise<SigningKeys> {
    const keys = new SigningKeys(options)
    await keys.refresh()
    for (const { kid } of keys.#ring) keys.#loaded.signer(kid)
    await keys.tend()
    return keys
  }

  /**
   * The claims as a signed token in compact form, by the key that is active now.
   *
   * @throws whatever the store throws, when the ring is too old and cannot be read again.
   * @throws {SigningError} key_ring_unavailable when it is not read in time.
   */
  async sign(claims: object, keyMembers: KeyMembers): Promise<string> {
    const neededMs = this.#monotonicNowMs() - this.#maxAgeMs
    if (this.#asOfMs < neededMs) await this.#readInTime(neededMs)
    return this.#loaded.signer(this.#active().kid).sign(claims, keyMembers)
  }

  /**
   * The entries of the key set, always from memory: while the store is unavailable, verifiers get the
   * last known keys.
   */
  published(): PublishedKey[] {
    return this.states()
      .filter(({ phase }) => keyPhases[phase].published)
      .map(({ key }) => this.#loaded.published(key.kid))
  }

  /** Every key with the phase that it is in. */
  states(): KeyState[] {
    return keyStates(this.#ring, this.#schedule, this.#now())
  }

  /** Follows the store to its latest ring; callers at the same time share one query. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#follow().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /**
   * Does what the schedule asks, when it asks for anything.
   *
   * @throws {SigningError} key_encryption_key_wrong when a key is due and the stored ones have been
   *   encrypted under another key since this process started.
   */
  async tend(by: KeyActor = system): Promise<void> {
    await this.#change(by, async (ring) => {
      const now = this.#now()
      return maintain(ring, await this.#spares(keysLacking(ring, now), now), this.#schedule, now)
    })
  }

  /**
   * Rotates without waiting for the schedule: the announced key signs as soon as verifiers had the
   * notice of an unplanned rotation. Requests at the same time rotate once.
   *
   * @returns the key that signs next, and from when.
   */
  async rotate(by: KeyActor): Promise<SigningKey> {
    await this.tend()
    const from = this.#active().kid
    await this.#change(by, (ring) => rotate(ring, from, this.#schedule, this.#now()))
    const active = this.#active()
    const successor = active.kid === from ? nextKey(this.#ring, this.#now()) : active
    await this.#tendAfterwards()
    return successor ?? active
  }

  /**
   * Removes a key immediately, for a private key that an attacker may know. It no longer signs and is
   * no longer published. Verifiers refuse its tokens as soon as they read the key set again.
   *
   * @throws {SigningError} signing_key_unknown when no key has this id.
   */
  async revoke(kid: string, by: KeyActor): Promise<void> {
    const remove = async (ring: KeyRing) => {
      const now = this.#now()
      if (!ring.some((key) => key.kid === kid)) {
        throw new SigningError('signing_key_unknown', 'No signing key has this id.')
      }
      const lacking = nextKey(ring, now) === undefined ? 1 : 0
      return revoke(ring, kid, await this.#spares(lacking, now), this.#schedule, now)
    }
    await this.#change(by, remove, 'revoke')
    await this.#tendAfterwards()
  }

  async #readInTime(neededMs: number): Promise<void> {
    const tooLate = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      const sentence = `The signing keys were not read within ${this.#patienceMs} ms.`
      tooLate.reject(new SigningError('key_ring_unavailable', sentence))
    }, this.#patienceMs)
    try {
      // A shared query may have started too long ago for this caller.
      do await Promise.race([this.refresh(), tooLate.promise])
      while (this.#asOfMs < neededMs)
    } finally {
      clearTimeout(timer)
    }
  }

  #active(): SigningKey {
    const active = activeKey(this.#ring, this.#now())
    // `open` makes the first keys; a store that went back may have none.
    if (active === undefined)
      throw new SigningError('key_ring_unavailable', 'The store has no signing keys.')
    return active
  }

  async #change(
    by: KeyActor,
    decide: (ring: KeyRing) => KeyRing | Promise<KeyRing>,
    removal: 'remove' | 'revoke' = 'remove',
  ): Promise<void> {
    for (let attempt = 0; attempt < attemptsPerChange; attempt += 1) {
      await this.#follow()
      const [base, before] = [this.#followed, this.#ring]
      const after = await decide(before)
      if (after === before) return
      this.#refuseUnderAnotherKey(before)
      const events = keyEvents(before, after, { by, at: this.#now(), removal })
      const mark = this.#newMark()
      const outcome = await this.#store.commit(base, mark, after, events)
      if (outcome === 'conflict') continue
      if (this.#followed !== base) return this.#follow()
      return this.#adopt({ revision: base.revision + 1, mark }, after)
    }
    throw new Error(`The key ring changed ${attemptsPerChange} times while it was being changed.`)
  }

  // No replica can decrypt keys under two different key-encryption keys.
  #refuseUnderAnotherKey(ring: KeyRing) {
    for (const { kid, sealedPrivateKey } of ring) {
      this.#keyEncryptionKey.open(sealedPrivateKey, kid).fill(0)
    }
  }

  // What was asked for is done and durable; a new standby that cannot be made now is made by the
  // next `tend`, which also reports why it could not.
  #tendAfterwards = () => this.tend().catch(() => undefined)

  #spares = (count: number, now: Date): Promise<NewSigningKey[]> =>
    Promise.all(Array.from({ length: count }, () => this.#generate(this.#keyEncryptionKey, now)))

  async #follow(): Promise<void> {
    const askedAtMs = this.#monotonicNowMs()
    const known = this.#followed
    const { latest, hasKnown, ring } = await this.#store.read(known)
    // A slower answer than another's may be older than what is held: ask again.
    if (this.#followed !== known) return this.#follow()
    if (!hasKnown) this.#onReversal(known, latest)
    if (!hasKnown || latest.revision > known.revision) this.#adopt(latest, ring)
    this.#asOfMs = Math.max(this.#asOfMs, askedAtMs)
  }

  #adopt(commit: RingCommit, ring: KeyRing): void {
    this.#loaded.hold(ring)
    this.#followed = commit
    this.#ring = ring
  }
}
