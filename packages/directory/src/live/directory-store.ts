// Folder: The live directory: its port to a store, what it keeps in memory, and how a change is decided.

import type { Directory } from '../model/directory.ts'
import { type Commit, type Known, newMark } from './commit.ts'
import { DirectoryFollower } from './directory-follower.ts'
import type { DirectoryLog } from './directory-log.ts'
import { type DirectoryLookup, NotLoaded } from './directory-lookup.ts'
import { StorageUnavailableError } from './storage-unavailable-error.ts'
import type { Decide } from './update-group.ts'
import { UpdateQueue, type UpdateQueueOptions } from './update-queue.ts'

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
  /** The limit of the objects of a tenant, for the changes of callers; default none. */
  readonly maxTenantObjects?: number | undefined
  /** Called when the log does not have the followed commit any more, with its latest commit. */
  readonly onReversal?: (followed: Commit, latest: Commit) => void
}

/** For this time after a conflict, each update reads the latest state first. */
const conflictsRememberedMs = 10_000

/**
 * The directory for reads and changes: a bounded cache over a shared log.
 *
 * A read costs no query while the cache is fresh and has the answers. The owner must call `refresh`
 * several times per `maxAgeMs`.
 */
export class DirectoryStore {
  readonly #options: Required<Omit<DirectoryStoreOptions, 'maxTenantObjects'>> &
    Pick<DirectoryStoreOptions, 'maxTenantObjects'>
  readonly #follower: DirectoryFollower
  /** The updates of all tenants, except those in `#apart`. */
  readonly #shared: UpdateQueue
  /** A queue for each tenant that other processes also change. */
  readonly #apart = new Map<string, UpdateQueue>()
  #conflicts = 0
  #lastConflictMs = Number.NEGATIVE_INFINITY
  #refreshing: Promise<void> | undefined

  constructor(options: DirectoryStoreOptions) {
    this.#options = {
      maxCacheWeight: 100_000,
      maxAgeMs: 1000,
      patienceMs: 2000,
      monotonicNowMs: () => performance.now(),
      newMark,
      onReversal: () => {},
      ...options,
    }
    this.#follower = new DirectoryFollower(this.#options)
    this.#shared = this.#newQueue({
      setApart: (update) => this.#queueOf(update.tenantId).add(update),
      maxTenantObjects: options.maxTenantObjects,
    })
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
    const neededMs = this.#options.monotonicNowMs() - this.#options.maxAgeMs
    if (this.#follower.asOfMs < neededMs) return this.#readLater(decide, neededMs, undefined)
    const loadAndRepeat = (cause: unknown) => {
      if (!(cause instanceof NotLoaded)) throw cause
      return this.#readLater(decide, neededMs, cause.lookup)
    }
    try {
      const result = decide(this.#follower.cache)
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
    return this.#follower.untilDecided(decide)
  }

  /** One page of a list, directly from the log: a list must not evict clients from the cache. */
  list: DirectoryLog['list'] = (query) => this.#options.log.list(query)
  /** One page of the changes of a tenant, directly from the log; undefined when it lacks some of them. */
  listChanges: DirectoryLog['listChanges'] = (query) => this.#options.log.listChanges(query)
  /** Objects that were soft-deleted before a time, the oldest first. */
  deletedBefore: DirectoryLog['deletedBefore'] = (...limits) =>
    this.#options.log.deletedBefore(...limits)
  /** Finds the oldest tenant and what tenants lack, directly from the log. */
  surveyTenants: DirectoryLog['surveyTenants'] = (...limits) =>
    this.#options.log.surveyTenants(...limits)

  /**
   * Calls a function with the directory as of its last refresh, of any age, without the log.
   *
   * @returns undefined before the first refresh, and when an answer is not in memory
   */
  readLastKnown<Result>(
    decide: (directory: Directory) => Result,
  ): { readonly result: Result } | undefined {
    if (this.#follower.asOfMs === Number.NEGATIVE_INFINITY) return undefined
    try {
      return { result: decide(this.#follower.cache) }
    } catch (cause) {
      if (cause instanceof NotLoaded) return undefined
      throw cause
    }
  }

  /** The weight of the objects in memory. */
  get cacheWeight(): number {
    return this.#follower.cache.weight
  }

  /** The revision of the cache; 0 before the start. */
  get revision(): number {
    return this.#follower.followed?.revision ?? 0
  }

  /** The commits that the cache contains; undefined before the start. */
  get followed(): Known | undefined {
    return this.#follower.followed
  }

  /** Time since the cache was known to be current, in seconds; `Infinity` before the start. */
  get ageSeconds(): number {
    return (this.#options.monotonicNowMs() - this.#follower.asOfMs) / 1000
  }

  /** How many commits were decided again, because another process wrote first. */
  get conflicts(): number {
    return this.#conflicts
  }

  /** Follows the log to its latest revision. Calls at the same time share one query. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#follower.follow().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /**
   * Changes the directory by a function of it, whole or not at all.
   *
   * The function may be called several times, each time with a later directory, until there is no
   * conflict with another commit to the tenants that it changes: it must be pure but for its randomness.
   * What it reads of other tenants may be a second old. Its errors are passed on, and nothing is written.
   *
   * @param decide receives the mark of the commit too
   * @param tenantId the tenant of the caller: its updates share commits with those of others, and have the quota;
   *   default the server itself, without a quota
   * @throws {QuotaExceededError} quota_exceeded when a tenant would have more objects than its quota
   * @throws {StorageUnavailableError} storage_unavailable when the log cannot be reached; whether
   *   the change was written is then unknown.
   */
  update<Result>(decide: Decide<Result>, tenantId = ''): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const isApart = tenantId === '' || this.#apart.has(tenantId) || this.#isBusyElsewhere
      const queue = isApart ? this.#queueOf(tenantId) : this.#shared
      queue.add({ decide, tenantId, resolve: resolve as (result: unknown) => void, reject })
    })
  }

  get #isBusyElsewhere(): boolean {
    return this.#options.monotonicNowMs() - this.#lastConflictMs < conflictsRememberedMs
  }

  #queueOf(tenantId: string): UpdateQueue {
    const queue =
      this.#apart.get(tenantId) ??
      this.#newQueue({
        onEmpty: () => this.#apart.delete(tenantId),
        maxTenantObjects: tenantId === '' ? undefined : this.#options.maxTenantObjects,
      })
    this.#apart.set(tenantId, queue)
    return queue
  }

  #newQueue(
    options: Pick<UpdateQueueOptions, 'maxTenantObjects' | 'onEmpty' | 'setApart'>,
  ): UpdateQueue {
    return new UpdateQueue({
      ...options,
      follower: this.#follower,
      log: this.#options.log,
      newMark: this.#options.newMark,
      isFresh: () =>
        !this.#isBusyElsewhere &&
        this.#follower.asOfMs >= this.#options.monotonicNowMs() - this.#options.maxAgeMs,
      onConflict: () => {
        this.#conflicts += 1
        this.#lastConflictMs = this.#options.monotonicNowMs()
      },
    })
  }

  #readLater<Result>(
    decide: (directory: Directory) => Result,
    neededMs: number,
    missing: DirectoryLookup | undefined,
  ): Promise<Awaited<Result>> {
    const decided = async (): Promise<Awaited<Result>> => {
      if (missing !== undefined) await this.#follower.load(missing)
      // A slow answer to an earlier caller may be too old for this one.
      while (this.#follower.asOfMs < neededMs) await this.refresh()
      return await this.#follower.untilDecided(decide)
    }
    return withTimeout(decided(), this.#options.patienceMs)
  }
}

/**
 * Waits for a response of the store, but not longer than a limit.
 *
 * @throws {StorageUnavailableError} storage_unavailable after `limitMs`
 */
export async function withTimeout<Answer>(
  answer: Promise<Answer>,
  limitMs: number,
): Promise<Answer> {
  const tooLate = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    tooLate.reject(new StorageUnavailableError(`The store did not answer within ${limitMs} ms`))
  }, limitMs)
  try {
    return await Promise.race([answer, tooLate.promise])
  } finally {
    clearTimeout(timer)
  }
}
