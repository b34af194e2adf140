import { beginning, type Known } from './commit.ts'
import type { DirectoryCache } from './directory-cache.ts'
import type { DirectoryFollower } from './directory-follower.ts'
import { type DirectoryLog, type ExclusiveLog, logsOf } from './directory-log.ts'
import { quotaOf } from './object-quota.ts'
import { StorageUnavailableError } from './storage-unavailable-error.ts'
import { type DecidedUpdate, decideGroup, type Update } from './update-group.ts'

export type UpdateQueueOptions = {
  readonly follower: DirectoryFollower
  readonly log: DirectoryLog
  readonly newMark: () => string
  /** Whether the cache is as new as a read needs it, and other processes rarely write first. */
  readonly isFresh: () => boolean
  /** Called when another process wrote first, and updates are decided again. */
  readonly onConflict: () => void
  /** Called when no update waits. */
  readonly onEmpty?: () => void
  /**
   * Receives the updates that a commit could not write at once, in a queue of several tenants: none waits for a
   * lock of another tenant. Default: this queue tries again.
   */
  readonly setApart?: (update: Update) => void
  /** The limit of the objects of a tenant; undefined for none. */
  readonly maxTenantObjects?: number | undefined
}

const maxUpdatesPerCommit = 16
/** After so many conflicts in turn, an update excludes other processes until it is written. */
const maxConflicts = 3

/** Writes the updates of one process in turn. Waiting updates share a commit, even for several tenants. */
export class UpdateQueue {
  readonly #options: UpdateQueueOptions
  readonly #waiting = new Set<Update>()
  #isWriting = false
  /** Whether the cache may be used without a question: the next commit finds what it lacks. */
  #isFollowed = false
  /** The logs of the latest commit. */
  #logs: readonly string[] = []
  /** How many of the next updates have a commit of their own, because a shared one failed. */
  #apart = 0

  constructor(options: UpdateQueueOptions) {
    this.#options = options
  }

  /** Writes an update after those that wait, or with them in one commit. */
  add(update: Update): void {
    this.#waiting.add(update)
    if (!this.#isWriting) void this.#writeAll()
    // Loads what the update needs while others are written.
    else
      void this.#options.follower
        .untilDecided((cache) => update.decide(cache, ''))
        .catch(() => undefined)
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    this.#isFollowed = this.#options.isFresh()
    let conflicts = 0
    while (this.#waiting.size > 0) {
      const isApart = this.#apart > 0
      const count = isApart ? 1 : maxUpdatesPerCommit
      const updates = inTurn([...this.#waiting], count)
      if (await this.#write(updates, conflicts >= maxConflicts)) {
        conflicts = 0
        if (isApart) this.#apart -= 1
      } else if (this.#options.setApart !== undefined) {
        for (const update of updates) this.#waiting.delete(update)
        updates.forEach(this.#options.setApart)
        this.#isFollowed = this.#options.isFresh()
      } else {
        conflicts += 1
        this.#isFollowed = false
      }
    }
    this.#isWriting = false
    this.#options.onEmpty?.()
  }

  /** Writes some of these updates, at least one. Returns false, with nothing written, after a conflict. */
  async #write(updates: readonly Update[], isExclusive: boolean): Promise<boolean> {
    try {
      const written = isExclusive
        ? await this.#options.log.exclusively(this.#logs, (log) =>
            this.#decideAndCommit(updates, log),
          )
        : await this.#decideAndCommit(updates)
      if (written === 'conflict' && !isExclusive) {
        this.#options.onConflict()
        return false
      }
      if (written === 'conflict')
        throw new StorageUnavailableError('Another process changed the directory at the same time')
      // After the transaction has ended.
      if (written.own !== undefined) {
        this.#options.follower.followOwn(written.own)
        this.#isFollowed = true
      }
      for (const { update, ...end } of written.group) {
        this.#waiting.delete(update)
        if ('error' in end) update.reject(end.error)
        else update.resolve(end.decision.result)
      }
    } catch (cause) {
      // A fault of the store concerns all updates. Another error may be of one of them.
      if (updates.length === 1 || cause instanceof StorageUnavailableError)
        this.#rejectAll(updates, cause)
      else if (this.#options.setApart !== undefined) return false
      else this.#apart = updates.length
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
    // A commit is a conflict when another one came first, so mostly no question is needed before it.
    const isFollowed = this.#isFollowed && exclusive === undefined
    if (!isFollowed) await this.#options.follower.follow(exclusive)
    const mark = this.#options.newMark()
    let { base, group, logs, quota } = await this.#decide(updates, mark, exclusive)
    if (isFollowed && !group.every(isWritten)) {
      // No commit confirms a refusal, so it needs the latest state.
      await this.#options.follower.follow()
      ;({ base, group, logs, quota } = await this.#decide(updates, mark, exclusive))
    }
    const { changes, audit } = writtenBy(group)
    if (changes.length + audit.length === 0) return { group }
    this.#logs = logs
    const log = exclusive ?? this.#options.log
    const options = { quota, waitsForLogs: this.#options.setApart === undefined }
    const commit = await log.commit(base, mark, changes, audit, logs, options)
    if (commit === 'conflict') return commit
    return commit === base ? { group } : { group, own: { commit, changes } }
  }

  /** Decides one or more updates. The commit must follow `base`. */
  async #decide(updates: readonly Update[], mark: string, exclusive: ExclusiveLog | undefined) {
    const decideNow = (cache: DirectoryCache) => {
      const group = decideGroup(cache, updates, mark)
      const base: Known = this.#options.follower.followed ?? beginning
      const { changes } = writtenBy(group)
      const max = this.#options.maxTenantObjects
      const quota = max === undefined ? max : quotaOf(changes, max, (change) => cache.has(change))
      return { base, group, logs: logsIn(cache, changes), quota }
    }
    try {
      return await this.#options.follower.untilDecided(decideNow, exclusive)
    } catch (error) {
      // What the first update needs could not be loaded.
      const group = updates.slice(0, 1).map((update): DecidedUpdate => ({ update, error }))
      return { base: beginning, group, logs: [], quota: undefined }
    }
  }
}

/** The first updates, one of each tenant in turn, so that many of one tenant do not delay another. */
function inTurn(waiting: readonly Update[], count: number): readonly Update[] {
  const ofTenants = Map.groupBy(waiting, ({ tenantId }) => tenantId)
    .values()
    .toArray()
  const longest = Math.max(...ofTenants.map(({ length }) => length))
  return Array.from({ length: Math.min(longest, count) }, (_, turn) => turn)
    .flatMap((turn) => ofTenants.flatMap((updates) => updates[turn] ?? []))
    .slice(0, count)
}

/** The logs of changes. A tenant that keeps its domains concerns no other tenant. */
const logsIn = (cache: DirectoryCache, changes: ReturnType<typeof writtenBy>['changes']) =>
  logsOf(
    changes,
    (tenant) => cache.keepsDomains(tenant),
    ({ kind, id }) => cache.tenantOf(kind, id),
  )

function writtenBy(group: readonly DecidedUpdate[]) {
  const decisions = group.flatMap((one) => ('decision' in one ? [one.decision] : []))
  return {
    changes: decisions.flatMap((decision) => decision.changes),
    audit: decisions.flatMap((decision) => decision.audit),
  }
}

const isWritten = (one: DecidedUpdate): boolean =>
  'decision' in one && one.decision.changes.length + one.decision.audit.length > 0
