// Folder: The only room with private keys does not depend on requests or clients.

import type { AgreedTime } from '@greeting/directory/clock'
import {
  firstRing,
  type KeyActor,
  type KeyRing,
  type KeyRingStore,
  type NewSigningKey,
  type RingCommit,
  type SigningKey,
} from '@greeting/directory/keys'
import { KeyCache } from './key-cache.ts'
import type { KeyEncryptionKey } from './key-encryption-key.ts'
import { keyEvents, system } from './key-event.ts'
import {
  activeKey,
  firstKeys,
  type KeyState,
  keyStates,
  keysLacking,
  maintain,
  nextKey,
  revoke,
  rotate,
} from './key-ring.ts'
import { type KeySchedule, type KeyScheduleOptions, keyScheduleSchema } from './key-schedule.ts'
import { SigningError } from './signing-error.ts'
import type { PublishedKey } from './signing-key.ts'
import { generateSigningKey } from './signing-key-generation.ts'
import type { KeyMembers } from './token-signer.ts'

export type SigningKeysOptions = {
  readonly store: KeyRingStore
  readonly keyEncryptionKey: KeyEncryptionKey
  readonly schedule: KeyScheduleOptions
  /** The time for the schedule; undefined while the clock may be wrong. Then the keys stay as they are. */
  readonly agreedTime: () => Promise<AgreedTime | undefined>
  /** Maximum age of the ring for signing, in milliseconds; default 1000. */
  readonly maxAgeMs?: number
  /** Maximum time that `sign` waits for the store, in milliseconds; default 2000. */
  readonly patienceMs?: number
  readonly now?: () => Date
  /** Monotonic clock in milliseconds; default `performance.now`. */
  readonly monotonicNowMs?: () => number
  /** Makes a key; default `generateSigningKey`. */
  readonly generate?: typeof generateSigningKey
  /** Makes the random mark of a commit; default a random UUID. */
  readonly newMark?: () => string
  /** Called with the latest commit when the store has lost the commit that this process knows. */
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
  readonly #options: Required<SigningKeysOptions>
  readonly #schedule: KeySchedule
  readonly #loaded: KeyCache
  /** The commit of the current ring. It is a new object after each change. */
  #followed = firstRing
  #ring: KeyRing = []
  #asOfMs = Number.NEGATIVE_INFINITY
  #conflicts = 0
  #refreshing: Promise<void> | undefined

  private constructor(options: SigningKeysOptions) {
    this.#options = {
      maxAgeMs: 1000,
      patienceMs: 2000,
      now: () => new Date(),
      monotonicNowMs: () => performance.now(),
      generate: generateSigningKey,
      newMark: () => crypto.randomUUID(),
      onReversal: () => {},
      ...options,
    }
    this.#schedule = keyScheduleSchema.parse(options.schedule)
    this.#loaded = new KeyCache(options.keyEncryptionKey)
  }

  /**
   * Reads the ring, decrypts every key, and creates the first keys if there are none.
   *
   * @throws {ZodError} when the schedule would break verifiers.
   * @throws {SigningError} key_encryption_key_wrong, sealed_key_corrupt when a key cannot be
   * decrypted.
   * Nothing is written then.
   */
  static async open(options: SigningKeysOptions): Promise<SigningKeys> {
    const keys = new SigningKeys(options)
    await keys.refresh()
    for (const { kid } of keys.#ring) keys.#loaded.signer(kid)
    // A server with keys issues tokens also while the store accepts no changes. The owner tends them again.
    await keys.tend().catch((cause) => {
      if (keys.#ring.length === 0) throw cause
    })
    return keys
  }

  /**
   * Signs claims with the active key. Returns a token in compact form.
   *
   * @throws {Error} of the store, when the ring is too old and cannot be read again.
   * @throws {SigningError} key_ring_unavailable when it is not read in time.
   */
  async sign(claims: object, keyMembers: KeyMembers): Promise<string> {
    const neededMs = this.#options.monotonicNowMs() - this.#options.maxAgeMs
    if (this.#asOfMs < neededMs) await this.#readInTime(neededMs)
    return this.#loaded.signer(this.#active().kid).sign(claims, keyMembers)
  }

  /**
   * The entries of the key set, always from memory: while the store is unavailable, verifiers get
   * the last known keys.
   */
  published(): PublishedKey[] {
    return this.#ring.map(({ kid }) => this.#loaded.published(kid))
  }

  /** Reads the ring if it is older than `maxAgeMs`. While the store is unavailable, it stays as it is. */
  async refreshIfOld(): Promise<void> {
    const neededMs = this.#options.monotonicNowMs() - this.#options.maxAgeMs
    if (this.#asOfMs < neededMs) await this.#readInTime(neededMs).catch(() => undefined)
  }

  /** Every key with its phase. */
  states(): KeyState[] {
    return keyStates(this.#ring, this.#schedule, this.#options.now())
  }

  /** The revision of the ring in memory. */
  get revision(): number {
    return this.#followed.revision
  }

  /** Time since the ring was known to be current, in seconds. */
  get ageSeconds(): number {
    return (this.#options.monotonicNowMs() - this.#asOfMs) / 1000
  }

  /** How many changes were decided again, because another process changed the ring first. */
  get conflicts(): number {
    return this.#conflicts
  }

  /** Reads the latest ring from the store. Simultaneous calls share one query. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#follow().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /**
   * Applies the schedule, if a change is due and the time is agreed. Makes the first keys at any time.
   *
   * @throws {SigningError} key_encryption_key_wrong when a key is due and the stored keys were
   * encrypted with another key since this process started.
   */
  async tend(by: KeyActor = system): Promise<void> {
    const agreed = await this.#options.agreedTime()
    await this.#change(by, async (ring) => {
      if (ring.length === 0) {
        const now = this.#options.now()
        return firstKeys(await this.#spares(keysLacking([], now), now), this.#schedule, now)
      }
      if (agreed === undefined) return ring
      const spares = await this.#spares(keysLacking(ring, agreed.date), agreed.date)
      return maintain(ring, spares, this.#schedule, agreed)
    })
  }

  /**
   * Rotates before the schedule: the announced key signs after the notice of an unplanned rotation.
   * Simultaneous requests rotate once.
   *
   * @returns the next key, and when it starts to sign
   */
  async rotate(by: KeyActor): Promise<SigningKey> {
    await this.tend()
    const from = this.#active().kid
    await this.#change(by, (ring) => rotate(ring, from, this.#schedule, this.#options.now()))
    const active = this.#active()
    const successor = active.kid === from ? nextKey(this.#ring, this.#options.now()) : active
    await this.#tendAfterwards()
    return successor ?? active
  }

  /**
   * Removes a key immediately, for a private key that an attacker may know. It no longer signs and
   * is no longer published. Verifiers refuse its tokens as soon as they read the key set again.
   *
   * @throws {SigningError} signing_key_unknown when no key has this ID.
   */
  async revoke(kid: string, by: KeyActor): Promise<void> {
    const remove = async (ring: KeyRing) => {
      const now = this.#options.now()
      if (!ring.some((key) => key.kid === kid))
        throw new SigningError('signing_key_unknown', 'No signing key has this id.')
      const lacking = nextKey(ring, now) === undefined ? 1 : 0
      return revoke(ring, kid, await this.#spares(lacking, now), this.#schedule, now)
    }
    await this.#change(by, remove, 'revoke')
    await this.#tendAfterwards()
  }

  async #readInTime(neededMs: number): Promise<void> {
    const tooLate = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      const sentence = `The signing keys were not read within ${this.#options.patienceMs} ms.`
      tooLate.reject(new SigningError('key_ring_unavailable', sentence))
    }, this.#options.patienceMs)
    try {
      // A shared query may have started too long ago for this call.
      do await Promise.race([this.refresh(), tooLate.promise])
      while (this.#asOfMs < neededMs)
    } finally {
      clearTimeout(timer)
    }
  }

  #active(): SigningKey {
    const active = activeKey(this.#ring, this.#options.now())
    // `open` creates the first keys, but a store that was restored from a backup may have none.
    if (active === undefined)
      throw new SigningError('key_ring_unavailable', 'The store has no signing keys')
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
      const events = keyEvents(before, after, { by, at: this.#options.now(), removal })
      const mark = this.#options.newMark()
      const outcome = await this.#options.store.commit(base, mark, after, events)
      if (outcome === 'conflict') {
        this.#conflicts += 1
        continue
      }
      if (this.#followed !== base) return this.#follow()
      return this.#adopt({ revision: base.revision + 1, mark }, after)
    }
    throw new Error(
      `Other processes changed the key ring during each of ${attemptsPerChange} attempts`,
    )
  }

  // A replica cannot decrypt keys of two different key-encryption keys.
  #refuseUnderAnotherKey(ring: KeyRing) {
    for (const { kid, sealedPrivateKey } of ring)
      this.#options.keyEncryptionKey.open(sealedPrivateKey, kid).fill(0)
  }

  // The requested change is durable already. If the new standby key cannot be created now, the next
  // `tend` creates it, or reports the reason.
  #tendAfterwards = () => this.tend().catch(() => undefined)

  #spares = (count: number, now: Date): Promise<NewSigningKey[]> =>
    Promise.all(
      Array.from({ length: count }, () =>
        this.#options.generate(this.#options.keyEncryptionKey, now),
      ),
    )

  async #follow(): Promise<void> {
    const askedAtMs = this.#options.monotonicNowMs()
    const known = this.#followed
    const { latest, hasKnown, ring } = await this.#options.store.read(known)
    // Another answer that arrived earlier may be newer: read again.
    if (this.#followed !== known) return this.#follow()
    if (!hasKnown) this.#options.onReversal(known, latest)
    if (!hasKnown || latest.revision > known.revision) this.#adopt(latest, ring)
    this.#asOfMs = Math.max(this.#asOfMs, askedAtMs)
  }

  #adopt(commit: RingCommit, ring: KeyRing): void {
    this.#loaded.hold(ring)
    this.#followed = commit
    this.#ring = ring
  }
}
