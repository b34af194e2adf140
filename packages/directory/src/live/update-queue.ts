import { beginning, type Commit } from './commit.ts'
import type { DirectoryCache } from './directory-cache.ts'
import type { DirectoryFollower } from './directory-follower.ts'
import type { DirectoryLog, ExclusiveLog } from './directory-log.ts'
import { StorageUnavailableError } from './storage-unavailable-error.ts'
import { type DecidedUpdate, decideGroup, type Update } from './update-group.ts'

export type UpdateQueueOptions = {
  readonly follower: DirectoryFollower
  readonly log: DirectoryLog
  /** Makes the mark of a commit. */
  readonly newMark: () => string
}

const maxUpdatesPerCommit = 16
/** After so many conflicts in turn, an update excludes other processes until it is written. */
const maxConflicts = 3

/** Writes the updates of one process. Updates that wait at the same time share a commit. */
export class UpdateQueue {
  readonly #follower: DirectoryFollower
  readonly #log: DirectoryLog
  readonly #newMark: () => string
  readonly #waiting = new Set<Update>()
  #isWriting = false
  /** The commit of the updates before, while the cache is at it. */
  #ownCommit: Commit | undefined
  #conflicts = 0
  /** How many of the next updates have a commit of their own, because a shared one failed. */
  #apart = 0

  constructor({ follower, log, newMark }: UpdateQueueOptions) {
    this.#follower = follower
    this.#log = log
    this.#newMark = newMark
  }

  /** How many commits were decided again, because another process wrote first. */
  get conflicts(): number {
    return this.#conflicts
  }

  /** Writes an update after those that wait, or with them in one commit. */
  add(update: Update): void {
    this.#waiting.add(update)
    if (!this.#isWriting) void this.#writeAll()
    // Loads what the update needs while others are written.
    else void this.#follower.untilDecided(update.decide).catch(() => undefined)
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    this.#ownCommit = undefined
    let conflicts = 0
    while (this.#waiting.size > 0) {
      const isApart = this.#apart > 0
      const count = isApart ? 1 : maxUpdatesPerCommit
      const updates = this.#waiting.values().take(count).toArray()
      if (await this.#write(updates, conflicts >= maxConflicts)) {
        conflicts = 0
        if (isApart) this.#apart -= 1
      } else {
        conflicts += 1
        this.#conflicts += 1
        this.#ownCommit = undefined
      }
    }
    this.#isWriting = false
  }

  /** Writes some of these updates, at least one. Returns false, with nothing written, after a conflict. */
  async #write(updates: readonly Update[], isExclusive: boolean): Promise<boolean> {
    try {
      const written = isExclusive
        ? await this.#log.exclusively((log) => this.#decideAndCommit(updates, log))
        : await this.#decideAndCommit(updates)
      if (written === 'conflict' && !isExclusive) return false
      if (written === 'conflict')
        throw new StorageUnavailableError('Another process changed the directory at the same time')
      // After the transaction has ended.
      if (written.own !== undefined) this.#ownCommit = this.#follower.followOwn(written.own)
      for (const { update, ...end } of written.group) {
        this.#waiting.delete(update)
        if ('error' in end) update.reject(end.error)
        else update.resolve(end.decision.result)
      }
    } catch (cause) {
      // A fault of the store concerns all updates. Another error may be of one of them.
      if (updates.length > 1 && !(cause instanceof StorageUnavailableError))
        this.#apart = updates.length
      else this.#rejectAll(updates, cause)
    }
    return true
  }

  #rejectAll(updates: readonly Update[], cause: unknown): void {
    for (const update of updates) {
      this.#waiting.delete(update)
      update.reject(cause)
    }
  }

  async #decideAndCommit(updates: readonly Update[], exclusive?: ExclusiveLog) {
    // A commit is a conflict when another one came first, so no question is needed between own commits.
    const isFollowed = this.#ownCommit !== undefined && this.#ownCommit === this.#follower.followed
    if (!isFollowed || exclusive) await this.#follower.follow([], exclusive)
    let { base, group } = await this.#decide(updates, exclusive)
    if (isFollowed && !group.every(isWritten)) {
      // No commit confirms a refusal, so it needs the latest state.
      await this.#follower.follow()
      ;({ base, group } = await this.#decide(updates, exclusive))
    }
    const decisions = group.flatMap((one) => ('decision' in one ? [one.decision] : []))
    const changes = decisions.flatMap((decision) => decision.changes)
    const audit = decisions.flatMap((decision) => decision.audit)
    if (changes.length + audit.length === 0) return { group }
    const mark = this.#newMark()
    const outcome = await (exclusive ?? this.#log).commit(base, mark, changes, audit)
    return outcome === 'conflict' ? outcome : { group, own: { base, mark, changes } }
  }

  /** Decides one or more updates. The commit must follow `base`. */
  async #decide(updates: readonly Update[], exclusive: ExclusiveLog | undefined) {
    const decideNow = (directory: DirectoryCache) => ({
      base: this.#follower.followed ?? beginning,
      group: decideGroup(directory, updates),
    })
    try {
      return await this.#follower.untilDecided(decideNow, exclusive)
    } catch (error) {
      // What the first update needs could not be loaded.
      const group = updates.slice(0, 1).map((update): DecidedUpdate => ({ update, error }))
      return { base: beginning, group }
    }
  }
}

const isWritten = (one: DecidedUpdate): boolean =>
  'decision' in one && one.decision.changes.length + one.decision.audit.length > 0
