import type { Directory } from '../directory/directory.ts'
import type { DirectoryChange } from '../directory/directory-change.ts'
import { DirectoryIndex } from '../directory/directory-index.ts'
import type { AuditRecord } from './audit-record.ts'
import { beginning, type Commit, newMark } from './commit.ts'
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
  /** The maximum age of the directory that `read` returns, in milliseconds; default 1000. */
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

/**
 * The directory for reads and changes: an index in memory over a shared log.
 *
 * A read costs no query while the index is fresh. The owner must call `refresh` several times per
 * `maxAgeMs`.
 */
export class DirectoryStore {
  readonly #log: DirectoryLog
  readonly #maxAgeMs: number
  readonly #patienceMs: number
  readonly #monotonicNowMs: () => number
  readonly #newMark: () => string
  readonly #onReversal: (followed: Commit, latest: Commit) => void
  #index = new DirectoryIndex()
  /** The commit that the index is the state of: another object after each change of the index. */
  #followed = beginning
  #asOfMs = Number.NEGATIVE_INFINITY
  #refreshing: Promise<void> | undefined
  #lastUpdate: Promise<unknown> = Promise.resolve()

  constructor({
    log,
    maxAgeMs = 1000,
    patienceMs = 2000,
    monotonicNowMs = () => performance.now(),
    newMark: makeMark = newMark,
    onReversal = () => {},
  }: DirectoryStoreOptions) {
    this.#log = log
    this.#maxAgeMs = maxAgeMs
    this.#patienceMs = patienceMs
    this.#monotonicNowMs = monotonicNowMs
    this.#newMark = makeMark
    this.#onReversal = onReversal
  }

  /**
   * The directory, no older than `maxAgeMs` when this is called: at once when it is, else as soon as
   * the log has said so.
   *
   * @throws {StorageUnavailableError} storage_unavailable when the snapshot is too old and the log
   *   cannot be asked, or does not answer in time.
   */
  read(): Directory | Promise<Directory> {
    const neededMs = this.#monotonicNowMs() - this.#maxAgeMs
    if (this.#asOfMs >= neededMs) return this.#index
    return withTimeout(this.#asOf(neededMs), this.#patienceMs)
  }

  /** The directory as it was last read, however old; undefined before it was read at all. */
  get lastKnown(): Directory | undefined {
    return this.#asOfMs === Number.NEGATIVE_INFINITY ? undefined : this.#index
  }

  /** Follows the log to its latest revision; callers at the same time share one query. */
  async refresh(): Promise<Directory> {
    this.#refreshing ??= this.#follow().finally(() => {
      this.#refreshing = undefined
    })
    await this.#refreshing
    return this.#index
  }

  /**
   * Changes the directory by a function of it, whole or not at all.
   *
   * The function may be called several times, each time with a later directory, until nobody else
   * committed in between: it must be pure but for its randomness. What it throws is passed on, and
   * nothing is written.
   *
   * @throws {StorageUnavailableError} storage_unavailable when the log cannot be reached; whether
   *   the change was written is then unknown.
   */
  update<Result>(decide: (directory: Directory) => DirectoryDecision<Result>): Promise<Result> {
    // One after the other: updates of one process would only meet as conflicts.
    const update = this.#lastUpdate.then(() => this.#decideAndCommit(decide))
    this.#lastUpdate = update.catch(() => undefined)
    return update
  }

  async #asOf(neededMs: number): Promise<Directory> {
    // A slow answer that others are waiting for may have been asked too long ago for this caller.
    do await this.refresh()
    while (this.#asOfMs < neededMs)
    return this.#index
  }

  async #decideAndCommit<Result>(
    decide: (directory: Directory) => DirectoryDecision<Result>,
  ): Promise<Result> {
    for (let attempt = 0; attempt < attemptsPerUpdate; attempt += 1) {
      await this.#follow()
      const base = this.#followed
      const { changes, audit, result } = decide(this.#index)
      if (changes.length === 0 && audit.length === 0) return result
      const outcome = await this.#log.commit(base, this.#newMark(), changes, audit)
      if (outcome === 'conflict') continue
      // The change is durable: a failure to read it back must not look like a failure to write it.
      await this.#follow().catch(() => undefined)
      return result
    }
    throw new StorageUnavailableError(
      `The directory changed ${attemptsPerUpdate} times during one update`,
    )
  }

  async #follow(): Promise<void> {
    const askedAtMs = this.#monotonicNowMs()
    const known = this.#followed
    const { latest, hasKnown, changes } = await this.#log.changesAfter(known)
    // The answer continues from a state that is no longer held: ask again from the present one.
    if (this.#followed !== known) return this.#follow()
    if (!hasKnown) {
      this.#forget(latest)
      return this.#follow()
    }
    if (latest.revision > known.revision) {
      this.#index.apply(latest.revision, changes)
      this.#followed = latest
    }
    this.#asOfMs = Math.max(this.#asOfMs, askedAtMs)
  }

  /** Nothing is answered from the former history: until the log is read anew, `read` waits. */
  #forget(latest: Commit): void {
    this.#onReversal(this.#followed, latest)
    this.#index = new DirectoryIndex()
    this.#followed = { ...beginning }
    this.#asOfMs = Number.NEGATIVE_INFINITY
  }
}
