import type { DirectoryChange } from '../model/directory-change.ts'
import { beginning, type Commit } from './commit.ts'
import { DirectoryCache } from './directory-cache.ts'
import type { DirectoryLog, LogReader } from './directory-log.ts'
import { type DirectoryLookup, lookupId, NotLoaded } from './directory-lookup.ts'
import { StorageUnavailableError } from './storage-unavailable-error.ts'

export type DirectoryFollowerOptions = {
  readonly log: DirectoryLog
  readonly maxCacheWeight: number
  readonly monotonicNowMs: () => number
  readonly onReversal: (followed: Commit, latest: Commit) => void
}

/** A commit of this process, which follows `base`. */
export type OwnCommit = {
  readonly base: Commit
  readonly mark: string
  readonly changes: readonly DirectoryChange[]
}

/** Lookups that one function may wait for. Each round loads the related objects too. */
const maxRounds = 1000
/** Lookups that are loaded in one snapshot. */
const maxLookupsPerLoad = 100

/** A bounded cache of the directory that follows a log. */
export class DirectoryFollower {
  readonly cache: DirectoryCache
  readonly #log: DirectoryLog
  readonly #monotonicNowMs: () => number
  readonly #onReversal: (followed: Commit, latest: Commit) => void
  /** The commit of the cache. It is a new object after each change; undefined before the start. */
  #followed: Commit | undefined
  #asOfMs = Number.NEGATIVE_INFINITY
  #wanted = new Map<string, DirectoryLookup>()
  #loading: Promise<void> | undefined

  constructor({ log, maxCacheWeight, monotonicNowMs, onReversal }: DirectoryFollowerOptions) {
    this.#log = log
    this.cache = new DirectoryCache(maxCacheWeight)
    this.#monotonicNowMs = monotonicNowMs
    this.#onReversal = onReversal
  }

  /** The commit of the cache; undefined before the start. */
  get followed(): Commit | undefined {
    return this.#followed
  }

  /** When the cache was last known to be current; `-Infinity` before the start. */
  get asOfMs(): number {
    return this.#asOfMs
  }

  /** Calls a function with the cache, and loads what it misses, until it has all answers. */
  async untilDecided<Result>(
    decide: (directory: DirectoryCache) => Result,
    log?: LogReader,
  ): Promise<Awaited<Result>> {
    for (let round = 0; round < maxRounds; round += 1) {
      try {
        const result = await decide(this.cache)
        this.cache.trim()
        return result
      } catch (cause) {
        if (!(cause instanceof NotLoaded)) throw cause
        await (log === undefined ? this.load(cause.lookup) : this.follow([cause.lookup], log))
      }
    }
    throw new StorageUnavailableError(
      `A request needs more than ${maxRounds} lookups, or more than the cache of the directory holds`,
    )
  }

  /** Loads an answer. Lookups at the same time share a snapshot. */
  async load(lookup: DirectoryLookup): Promise<void> {
    const id = lookupId(lookup)
    this.#wanted.set(id, lookup)
    try {
      while (this.#wanted.has(id)) {
        this.#loading ??= this.#loadWanted().finally(() => {
          this.#loading = undefined
        })
        await this.#loading
      }
      // Another caller may have started the load that contains this lookup.
      await this.#loading
    } finally {
      this.#wanted.delete(id)
    }
  }

  async #loadWanted(): Promise<void> {
    const lookups = [...this.#wanted.values()].slice(0, maxLookupsPerLoad)
    for (const lookup of lookups) this.#wanted.delete(lookupId(lookup))
    await this.follow(lookups)
  }

  /** Brings the cache to the latest commit, and adds the answers to lookups. */
  async follow(
    lookups: readonly DirectoryLookup[] = [],
    log: LogReader = this.#log,
  ): Promise<void> {
    const known = this.#followed
    if (known === undefined) return this.#start(lookups, log)
    const askedAtMs = this.#monotonicNowMs()
    const { latest, hasKnown, changes, loaded } = await log.changesAfter(known, lookups)
    const isCurrent = this.#followed === known
    // The response continues from an earlier state, unless both states have the same commit.
    if (!isCurrent && !isSame(this.#followed, latest)) return this.follow(lookups, log)
    if (!hasKnown && isCurrent) this.#forget(latest)
    if (!hasKnown) return this.follow(lookups, log)
    if (changes === undefined) return this.#start(lookups, log)
    if (!isSame(this.#followed, latest)) {
      this.cache.apply(latest.revision, changes)
      this.#followed = latest
    }
    this.cache.add(loaded)
    this.#asOfMs = Math.max(this.#asOfMs, askedAtMs)
  }

  /**
   * Follows the own commit without a query. Another call may have read it already.
   *
   * @returns the commit of the cache
   */
  followOwn({ base, mark, changes }: OwnCommit): Commit | undefined {
    if (!isSame(this.#followed, base)) return this.#followed
    const revision = base.revision + 1
    this.cache.applyOwn(
      revision,
      changes.map((change) => ({ ...change, revision })),
    )
    this.cache.trim()
    this.#followed = { revision, mark }
    return this.#followed
  }

  async #start(lookups: readonly DirectoryLookup[], log: LogReader): Promise<void> {
    const known = this.#followed
    const askedAtMs = this.#monotonicNowMs()
    const latest = await log.latest()
    if (this.#followed !== known) return this.follow(lookups, log)
    this.cache.reset(latest.revision)
    this.#followed = latest
    this.#asOfMs = Math.max(this.#asOfMs, askedAtMs)
    if (lookups.length > 0) await this.follow(lookups, log)
  }

  /** Nothing is answered from the lost history: until the log is read again, reads wait. */
  #forget(latest: Commit): void {
    this.#onReversal(this.#followed ?? beginning, latest)
    this.#followed = undefined
    this.cache.reset(0)
    this.#asOfMs = Number.NEGATIVE_INFINITY
  }
}

const isSame = (one: Commit | undefined, other: Commit): boolean =>
  one?.revision === other.revision && one.mark === other.mark
