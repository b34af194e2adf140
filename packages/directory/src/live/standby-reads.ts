import type { Directory } from '../model/directory.ts'
import type { Commit, Known } from './commit.ts'
import type { DirectoryLog } from './directory-log.ts'
import { NotLoaded } from './directory-lookup.ts'
import { DirectoryStore, withTimeout } from './directory-store.ts'
import { StorageUnavailableError } from './storage-unavailable-error.ts'

/** A store that follows another one and accepts no writes, as a standby of PostgreSQL does. */
export type Standby = {
  readonly directory: DirectoryLog
  /** The latest heartbeat, and whether the store has another one; undefined when no server wrote any. */
  readonly lastBeat: (
    known?: Commit,
  ) => Promise<
    { readonly at: Date; readonly latest: Commit; readonly hasKnown: boolean } | undefined
  >
  /** Whether this release can use its tables. */
  readonly isMigrated: () => Promise<boolean>
}

export type StandbyReadsOptions = {
  readonly directory: DirectoryStore
  /** The log of `directory`. */
  readonly log: DirectoryLog
  readonly lastBeat: Standby['lastBeat']
  readonly standby: Standby
  /** The maximum age of what is read, in seconds. */
  readonly maxStalenessSeconds: number
  readonly maxCacheWeight?: number
  readonly now: () => Date
  readonly report: (fields: object, text: string) => void
  /** Called when the store lacks a commit that was read from the standby, so that tokens may have been issued from it. */
  readonly onReversal: (read: Commit, latest: Commit) => void
  /** Monotonic clock in milliseconds; default `performance.now`. */
  readonly monotonicNowMs?: () => number
}

/** What a server reads while the store is unavailable, and the maximum age of that data. */
export type StandbyState = {
  readonly isUsed: boolean
  /** Undefined while nothing can be read from the standby. */
  readonly ageSeconds: number | undefined
  readonly maxStalenessSeconds: number
}

const notUsed = 'the standby of DATABASE_READ_URL cannot be used'

/** The store is unavailable when it has not answered for so long. */
const awayAfterSeconds = 1
/** A store that hangs must not delay the standby until its own limits end. */
const maxStoreMs = 500
/** A time of the standby is trusted for so long. */
const beatTrustedMs = 1000
/** A store that is available again shows commits that waited for its standbys within this time. */
const reversalAfterMs = 5000
/** Heartbeats of the longest declared staleness, and more. */
const maxBeatsSeen = 1000
/** A longer difference of clocks leaves the age of the standby unknown. */
const maxClockDifferenceMs = 30_000

/**
 * Reads the directory, also while the store is unavailable: from a standby, or from memory when that is newer.
 *
 * Each decision uses one state: one of the standby, or the memory as of the last answer of the store.
 * Neither is older than the declared staleness.
 */
export class StandbyReads {
  readonly #options: Required<Omit<StandbyReadsOptions, 'maxCacheWeight'>>
  readonly #copy: DirectoryStore
  #fault: string | undefined = 'it was not compared with the store yet'
  #unreachable: string | undefined
  #isUsed = false
  #beat: { readonly at: Date; readonly changedMs: number; readonly askedMs: number } | undefined
  /** Whether the standby has all commits that are in memory. */
  #isComplete = false
  /** The marks of the store's heartbeats. Only they distinguish a standby from a diverged copy. */
  readonly #seen = new Set<string>()
  #lastSeen: Commit | undefined
  #isOfStore = false
  /** The latest commits that were read while the store was unavailable, until the store has them. */
  #read: Known | undefined
  #lackingSinceMs: number | undefined

  constructor({ maxCacheWeight, ...options }: StandbyReadsOptions) {
    const { monotonicNowMs = () => performance.now() } = options
    this.#options = { ...options, monotonicNowMs }
    this.#copy = new DirectoryStore({
      log: options.standby.directory,
      ...(maxCacheWeight === undefined ? {} : { maxCacheWeight }),
      monotonicNowMs,
    })
  }

  /** @throws {StorageUnavailableError} storage_unavailable when neither the store nor the standby can be read */
  read<Result>(decide: (directory: Directory) => Result): Result | Promise<Awaited<Result>> {
    const { directory } = this.#options
    if (this.#isAway) return this.#readAway(decide)
    const result = directory.read(decide)
    if (!(result instanceof Promise)) return result
    return result.catch((cause) => {
      if (!(cause instanceof StorageUnavailableError)) throw cause
      return this.#readAway(decide, cause)
    }) as Promise<Awaited<Result>>
  }

  readLastKnown: DirectoryStore['readLastKnown'] = (decide) =>
    this.#options.directory.readLastKnown(decide)

  /**
   * Asks the store, and while it is unavailable the standby.
   *
   * @throws {StorageUnavailableError} storage_unavailable when neither of them can be asked
   */
  async ask<Answer>(store: () => Promise<Answer>, standby: () => Promise<Answer>): Promise<Answer> {
    const askStandby = async (cause?: StorageUnavailableError) => {
      await this.#requireStandby(cause)
      return standby()
    }
    if (this.#isAway) return askStandby()
    return withTimeout(store(), maxStoreMs).catch((cause) => {
      if (!(cause instanceof StorageUnavailableError)) throw cause
      return askStandby(cause)
    })
  }

  get state(): StandbyState {
    const { maxStalenessSeconds } = this.#options
    const ageMs = this.#fault === undefined ? this.#ageMs() : undefined
    return {
      isUsed: this.#isUsed,
      ageSeconds: ageMs === undefined ? undefined : ageMs / 1000,
      maxStalenessSeconds,
    }
  }

  /** Notices that the store is unavailable, or available again. The owner must call it each second. */
  async watch(): Promise<void> {
    const { maxStalenessSeconds, report } = this.#options
    if (!this.#isAway) await withTimeout(this.#askStore(), maxStoreMs).catch(() => undefined)
    await this.#askStandby().catch(() => undefined)
    if (this.#isAway === this.#isUsed) return
    this.#isUsed = this.#isAway
    if (this.#isUsed)
      report(
        { standbyAgeSeconds: this.state.ageSeconds, maxStalenessSeconds },
        'store unavailable: issuing tokens from the standby and the cache, refusing changes',
      )
    else report({}, 'store available again')
  }

  /**
   * Compares the standby with the store. A standby with other tables or another history is not used. The
   * owner must call it at the start and every few seconds.
   */
  async compare(): Promise<void> {
    const { log, report, standby } = this.#options
    if (this.#isAway) return
    const before = this.#fault
    try {
      const copied = (await standby.lastBeat())?.latest
      const isKnown = (await this.#askStore(copied)) || copied === undefined
      this.#fault = (await faultOf(standby, log)) ?? (isKnown ? undefined : notOfStore)
    } catch (cause) {
      // A standby that is unavailable now may answer when the store does not.
      if (!(cause instanceof StorageUnavailableError)) throw cause
      if (this.#unreachable !== cause.message) report({ reason: cause.message }, notUsed)
      this.#unreachable = cause.message
      return
    }
    this.#unreachable = undefined
    if (this.#fault !== before && this.#fault !== undefined)
      report({ reason: this.#fault }, notUsed)
  }

  get #isAway(): boolean {
    return this.#options.directory.ageSeconds > awayAfterSeconds
  }

  async #readAway<Result>(
    decide: (directory: Directory) => Result,
    cause?: StorageUnavailableError,
  ): Promise<Awaited<Result>> {
    const { directory, maxStalenessSeconds } = this.#options
    let failure: StorageUnavailableError | undefined
    try {
      await this.#requireStandby(cause)
      if (this.#isComplete) return await this.#copy.read(decide)
    } catch (error) {
      if (!(error instanceof StorageUnavailableError)) throw error
      failure = error
    }
    if (directory.ageSeconds <= maxStalenessSeconds) {
      try {
        const known = directory.readLastKnown(decide)
        if (known !== undefined) return await known.result
      } catch (notInMemory) {
        if (!(notInMemory instanceof NotLoaded)) throw notInMemory
      }
    }
    if (failure !== undefined) throw failure
    if (directory.ageSeconds > maxStalenessSeconds)
      refuse('it lacks changes that this server read', cause)
    return await this.#copy.read(decide)
  }

  async #requireStandby(cause?: StorageUnavailableError): Promise<void> {
    if (this.#fault !== undefined) refuse(this.#fault, cause)
    const { monotonicNowMs } = this.#options
    const askedMs = this.#beat?.askedMs ?? Number.NEGATIVE_INFINITY
    if (monotonicNowMs() - askedMs > beatTrustedMs) await this.#askStandby()
    const ageMs = this.#ageMs()
    if (ageMs === undefined) return refuse('its age is not known', cause)
    if (!this.#isOfStore) refuse(notOfStore, cause)
    if (ageMs > this.#options.maxStalenessSeconds * 1000)
      refuse(`it is ${Math.round(ageMs / 1000)} s behind`, cause)
  }

  /** Learns the heartbeat of the store, and whether the store has what was read from the standby. */
  async #askStore(copied?: Commit): Promise<boolean> {
    const { lastBeat, log, monotonicNowMs, onReversal } = this.#options
    const beat = await lastBeat(copied)
    this.#lastSeen = beat?.latest
    for (const seen of [beat?.latest, beat?.hasKnown ? copied : undefined])
      if (seen?.mark) this.#seen.add(seen.mark)
    for (const mark of this.#seen.values().take(Math.max(0, this.#seen.size - maxBeatsSeen)))
      this.#seen.delete(mark)
    if (this.#read !== undefined) {
      const { hasKnown, latest } = await log.changesAfter(this.#read)
      this.#lackingSinceMs = hasKnown ? undefined : (this.#lackingSinceMs ?? monotonicNowMs())
      const isLost =
        monotonicNowMs() - (this.#lackingSinceMs ?? monotonicNowMs()) >= reversalAfterMs
      if (isLost) onReversal(this.#read, latest)
      if (isLost || hasKnown) this.#read = undefined
    }
    return beat?.hasKnown === true
  }

  /** The heartbeat comes first: a state is at least as new as a heartbeat that was read before it. */
  async #askStandby(): Promise<void> {
    const { directory, monotonicNowMs, standby } = this.#options
    const askedMs = monotonicNowMs()
    const beat = await standby.lastBeat(this.#lastSeen)
    const { hasKnown, latest } = await standby.directory.changesAfter(directory.followed)
    this.#isComplete = hasKnown
    if (beat === undefined) return
    const { at } = beat
    this.#isOfStore = beat.hasKnown || this.#seen.has(beat.latest.mark ?? '')
    if (this.#isUsed && this.#isOfStore && this.#fault === undefined) this.#read = latest
    const isSame = this.#beat?.at.getTime() === at.getTime()
    this.#beat = { at, askedMs, changedMs: isSame ? (this.#beat?.changedMs ?? askedMs) : askedMs }
  }

  /** By the clock, and by the time since the standby has got anything: one of them may be wrong. */
  #ageMs(): number | undefined {
    if (this.#beat === undefined) return undefined
    const { monotonicNowMs, now } = this.#options
    const byClockMs = now().getTime() - this.#beat.at.getTime()
    if (byClockMs < -maxClockDifferenceMs) return undefined
    return Math.max(byClockMs, monotonicNowMs() - this.#beat.changedMs)
  }
}

const notOfStore = 'it does not follow this store'

function refuse(reason: string, cause?: StorageUnavailableError): never {
  const sentence = `The store is unavailable, and the standby cannot be used: ${reason}`
  throw new StorageUnavailableError(sentence, { cause })
}

/** Why a standby cannot be used; undefined when it can. */
async function faultOf(standby: Standby, log: DirectoryLog): Promise<string | undefined> {
  if (!(await standby.isMigrated())) return 'its tables are not those of this release'
  const copied = await standby.directory.latest()
  const { hasKnown, latest } = await log.changesAfter(copied)
  if (!hasKnown) return 'it has another history than the store'
  if (copied.revision === 0 && latest.revision > 0) return 'it has no registrations'
  return undefined
}
