import type { Directory } from '../directory/directory.ts'
import { DirectoryCache } from '../directory/directory-cache.ts'
import type { DirectoryChange } from '../directory/directory-change.ts'
import { type DirectoryLookup, lookupId } from '../directory/directory-lookup.ts'
import { NotLoaded } from '../directory/not-loaded.ts'
import type { AuditRecord } from './audit-record.ts'
import type { ChangePage, ChangeQuery, FollowedKind } from './change-list.ts'
import { beginning, type Commit, newMark } from './commit.ts'
import type { DeletedObject, ListedKind, ListPage, ListQuery } from './directory-list.ts'
import type { DirectoryLog } from './directory-log.ts'
import { StorageUnavailableError } from './storage-unavailable-error.ts'
import { withTimeout } from './with-timeout.ts'

/** The result of an update function: changes, audit records, and the result for the caller. */
export type DirectoryDecision<Result> = {
  readonly changes: readonly DirectoryChange[]
  readonly audit: readonly AuditRecord[]
  readonly result: Result
}

export type DirectoryStoreOptions = {
  readonly log: DirectoryLog
  /** The limit of the objects and index entries in memory; default 100,000. */
  readonly maxCacheWeight?: number
  /** The maximum age of the directory that `read` uses, in milliseconds; default 1000. */
  readonly maxAgeMs?: number
  /** How long `read` waits for the log, in milliseconds; default 2000. */
  readonly patienceMs?: number
  /** Monotonic clock in milliseconds; default `performance.now`. */
  readonly monotonicNowMs?: () => number
  /** Makes the mark of a commit; default a random UUID. */
  readonly newMark?: () => string
  /** Called when the log does not have the followed commit any more, with its latest commit. */
  readonly onReversal?: (followed: Commit, latest: Commit) => void
}

const attemptsPerUpdate = 100
/** Lookups that one function may wait for. Each round loads the related objects too. */
const maxRounds = 1000
/** Lookups that are loaded in one snapshot. */
const maxLookupsPerLoad = 100

/**
 * The directory for reads and changes: a bounded cache over a shared log.
 *
 * A read costs no query while the cache is fresh and has the answers. The owner must call `refresh`
 * several times per `maxAgeMs`.
 */
export class DirectoryStore {
  readonly #log: DirectoryLog
  readonly #maxAgeMs: number
  readonly #patienceMs: number
  readonly #monotonicNowMs: () => number
  readonly #newMark: () => string
  readonly #onReversal: (followed: Commit, latest: Commit) => void
  readonly #cache: DirectoryCache
  /** The commit of the cache. It is a new object after each change; undefined before the start. */
  #followed: Commit | undefined
  #asOfMs = Number.NEGATIVE_INFINITY
  #conflicts = 0
  #refreshing: Promise<void> | undefined
  #wanted = new Map<string, DirectoryLookup>()
  #loading: Promise<void> | undefined
  #lastUpdate: Promise<unknown> = Promise.resolve()
  /** The updates that wait or are written. */
  #updates = 0

  constructor({
    log,
    maxCacheWeight = 100_000,
    maxAgeMs = 1000,
    patienceMs = 2000,
    monotonicNowMs = () => performance.now(),
    newMark: makeMark = newMark,
    onReversal = () => {},
  }: DirectoryStoreOptions) {
    this.#log = log
    this.#cache = new DirectoryCache(maxCacheWeight)
    this.#maxAgeMs = maxAgeMs
    this.#patienceMs = patienceMs
    this.#monotonicNowMs = monotonicNowMs
    this.#newMark = makeMark
    this.#onReversal = onReversal
  }

  /**
   * Calls a function with the directory, no older than `maxAgeMs`. The result is not a promise when
   * all that the function needs is in memory.
   *
   * The function may be called several times: it must be pure. Its lookups must come before its first
   * `await`, so that they see one revision.
   *
   * @throws {StorageUnavailableError} storage_unavailable when the cache is too old and the log
   *   cannot be read, or does not answer in time.
   */
  read<Result>(decide: (directory: Directory) => Result): Result | Promise<Awaited<Result>> {
    const neededMs = this.#monotonicNowMs() - this.#maxAgeMs
    if (this.#asOfMs < neededMs) return this.#readLater(decide, neededMs, undefined)
    const loadAndRepeat = (cause: unknown) => {
      if (!(cause instanceof NotLoaded)) throw cause
      return this.#readLater(decide, neededMs, cause.lookup)
    }
    try {
      const result = decide(this.#cache)
      if (!(result instanceof Promise)) return result
      return result.catch(loadAndRepeat) as Promise<Awaited<Result>>
    } catch (cause) {
      return loadAndRepeat(cause)
    }
  }

  /**
   * Reads like `read`, but waits for the log without a limit. For the start, which makes no caller
   * wait: there, a slow disk is no fault.
   *
   * @throws {StorageUnavailableError} storage_unavailable when the log cannot be read
   */
  async readAtStart<Result>(decide: (directory: Directory) => Result): Promise<Awaited<Result>> {
    await this.refresh()
    return this.#loadingUntilDecided(decide)
  }

  /** One page of a list, directly from the log: a list must not evict clients from the cache. */
  list<Kind extends ListedKind>(query: ListQuery<Kind>): Promise<ListPage<Kind>> {
    return this.#log.list(query)
  }

  /** One page of the changes of a tenant, directly from the log; undefined when it lacks some of them. */
  listChanges<Kind extends FollowedKind>(
    query: ChangeQuery<Kind>,
  ): Promise<ChangePage<Kind> | undefined> {
    return this.#log.listChanges(query)
  }

  /** Objects that were soft-deleted before a time, the oldest first. */
  deletedBefore(time: Date, limit: number): Promise<readonly DeletedObject[]> {
    return this.#log.deletedBefore(time, limit)
  }

  /** The cache as of its last refresh, of any age; undefined before the first one. */
  get lastKnown(): Directory | undefined {
    return this.#asOfMs === Number.NEGATIVE_INFINITY ? undefined : this.#cache
  }

  /** The weight of the objects in memory. */
  get cacheWeight(): number {
    return this.#cache.weight
  }

  /** The revision of the cache; 0 before the start. */
  get revision(): number {
    return this.#followed?.revision ?? 0
  }

  /** Time since the cache was known to be current, in seconds; `Infinity` before the start. */
  get ageSeconds(): number {
    return (this.#monotonicNowMs() - this.#asOfMs) / 1000
  }

  /** How many decisions were made again, because another commit came first. */
  get conflicts(): number {
    return this.#conflicts
  }

  /** Follows the log to its latest revision. Calls at the same time share one query. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#follow([]).finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /**
   * Changes the directory by a function of it, whole or not at all.
   *
   * The function may be called several times, each time with a later directory, until there is no
   * conflict with another commit: it must be pure but for its randomness. Its errors are passed on, and
   * nothing is written.
   *
   * @throws {StorageUnavailableError} storage_unavailable when the log cannot be reached; whether
   *   the change was written is then unknown.
   */
  update<Result>(decide: (directory: Directory) => DirectoryDecision<Result>): Promise<Result> {
    // One after the other: updates of one process would only conflict.
    const update = Promise.all([this.#lastUpdate, this.#loadBefore(decide)])
      .then(() => this.#decideAndCommit(decide))
      .finally(() => {
        this.#updates -= 1
      })
    this.#updates += 1
    this.#lastUpdate = update.catch(() => undefined)
    return update
  }

  /** Loads what an update needs while the updates before it are written. Its own decision follows. */
  async #loadBefore(decide: (directory: Directory) => unknown): Promise<void> {
    if (this.#updates === 0) return
    await this.#loadingUntilDecided(decide).catch(() => undefined)
  }

  async #decideAndCommit<Result>(
    decide: (directory: Directory) => DirectoryDecision<Result>,
  ): Promise<Result> {
    for (let attempt = 0; attempt < attemptsPerUpdate; attempt += 1) {
      // Without this question a server that writes often would always be first, and starve the others.
      await this.#follow([])
      const { base, decision } = await this.#loadingUntilDecided((directory) => ({
        base: this.#followed ?? beginning,
        decision: decide(directory),
      }))
      const { changes, audit, result } = decision
      if (changes.length === 0 && audit.length === 0) return result
      const mark = this.#newMark()
      const outcome = await this.#log.commit(base, mark, changes, audit)
      if (outcome === 'conflict') {
        this.#conflicts += 1
        continue
      }
      this.#applyOwn(base, mark, changes)
      return result
    }
    throw new StorageUnavailableError(
      `The directory changed ${attemptsPerUpdate} times during one update`,
    )
  }

  /** Follows the own commit without a query. Another follower may have read it already. */
  #applyOwn(base: Commit, mark: string, changes: readonly DirectoryChange[]): void {
    if (!isSame(this.#followed, base)) return
    const revision = base.revision + 1
    this.#cache.apply(
      revision,
      changes.map((change) => ({ ...change, revision })),
    )
    this.#followed = { revision, mark }
  }

  #readLater<Result>(
    decide: (directory: Directory) => Result,
    neededMs: number,
    missing: DirectoryLookup | undefined,
  ): Promise<Awaited<Result>> {
    const decided = async (): Promise<Awaited<Result>> => {
      if (missing !== undefined) await this.#load(missing)
      // A slow answer to an earlier caller may be too old for this one.
      while (this.#asOfMs < neededMs) await this.refresh()
      return await this.#loadingUntilDecided(decide)
    }
    return withTimeout(decided(), this.#patienceMs)
  }

  async #loadingUntilDecided<Result>(
    decide: (directory: Directory) => Result,
  ): Promise<Awaited<Result>> {
    for (let round = 0; round < maxRounds; round += 1) {
      try {
        const result = await decide(this.#cache)
        this.#cache.trim()
        return result
      } catch (cause) {
        if (!(cause instanceof NotLoaded)) throw cause
        await this.#load(cause.lookup)
      }
    }
    throw new StorageUnavailableError(
      `A request needs more than ${maxRounds} lookups, or more than the cache of the directory holds`,
    )
  }

  /** Loads an answer. Lookups at the same time share a snapshot. */
  async #load(lookup: DirectoryLookup): Promise<void> {
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
    await this.#follow(lookups)
  }

  /** Brings the cache to the latest commit, and adds the answers to lookups. */
  async #follow(lookups: readonly DirectoryLookup[]): Promise<void> {
    const known = this.#followed
    if (known === undefined) return this.#start(known, lookups)
    const askedAtMs = this.#monotonicNowMs()
    const { latest, hasKnown, changes, loaded } = await this.#log.changesAfter(known, lookups)
    const isCurrent = this.#followed === known
    // The answer continues from a former state, unless it is of the same commit as the new state.
    if (!isCurrent && !isSame(this.#followed, latest)) return this.#follow(lookups)
    if (!hasKnown && isCurrent) this.#forget(latest)
    if (!hasKnown) return this.#follow(lookups)
    if (changes === undefined) return this.#start(this.#followed, lookups)
    if (!isSame(this.#followed, latest)) {
      this.#cache.apply(latest.revision, changes)
      this.#followed = latest
    }
    this.#cache.add(loaded)
    this.#asOfMs = Math.max(this.#asOfMs, askedAtMs)
  }

  async #start(known: Commit | undefined, lookups: readonly DirectoryLookup[]): Promise<void> {
    const askedAtMs = this.#monotonicNowMs()
    const { latest, tenants } = await this.#log.start()
    if (this.#followed !== known) return this.#follow(lookups)
    this.#cache.reset(latest.revision, tenants)
    this.#followed = latest
    this.#asOfMs = Math.max(this.#asOfMs, askedAtMs)
    if (lookups.length > 0) await this.#follow(lookups)
  }

  /** Nothing is answered from the former history: until the log is read again, `read` waits. */
  #forget(latest: Commit): void {
    this.#onReversal(this.#followed ?? beginning, latest)
    this.#followed = undefined
    this.#cache.reset(0, [])
    this.#asOfMs = Number.NEGATIVE_INFINITY
  }
}

const isSame = (one: Commit | undefined, other: Commit): boolean =>
  one?.revision === other.revision && one.mark === other.mark
