import type { DirectoryChange } from '../model/directory-change.ts'
import { beginning, type Commit, isKnown, type Known, knownWith } from './commit.ts'
import { DirectoryCache } from './directory-cache.ts'
import type { DirectoryLog, LogReader } from './directory-log.ts'
import { type DirectoryLookup, lookupId, NotLoaded } from './directory-lookup.ts'
import { TooManyLookupsError } from './storage-unavailable-error.ts'

export type DirectoryFollowerOptions = {
  readonly log: DirectoryLog
  readonly maxCacheWeight: number
  readonly monotonicNowMs: () => number
  readonly onReversal: (followed: Commit, latest: Commit) => void
}

/** A commit of this process, with its changes. */
export type OwnCommit = { readonly commit: Commit; readonly changes: readonly DirectoryChange[] }

/** Lookups that one function may wait for. Each load also has the related objects. */
const maxLookups = 10_000
/** Most functions need few lookups, one after the other. Later ones are collected, and loaded together. */
const lookupsInTurn = 3
/** Lookups that are loaded in one snapshot. */
const maxLookupsPerLoad = 100
/** A number that is missing for so long is of a commit that was given up. */
const maxMissingMs = 2000

/** A bounded cache of the directory that follows a log. */
export class DirectoryFollower {
  readonly cache: DirectoryCache
  readonly #options: DirectoryFollowerOptions
  /** What the cache contains; undefined before the start. */
  #followed: Known | undefined
  #asOfMs = Number.NEGATIVE_INFINITY
  /** The own commits since the open question was asked: the answer may lack them. */
  #ownMeanwhile: OwnCommit[] = []
  #missingSince = new Map<number, number>()
  #isGivingUp = false
  readonly #wanted = new Map<string, DirectoryLookup>()
  /** The lookups of the open question. */
  #asked: ReadonlySet<string> = new Set()
  /** The end of the open question, whether it was answered or not; undefined while there is none. */
  #open: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(options: DirectoryFollowerOptions) {
    this.#options = options
    this.cache = new DirectoryCache(options.maxCacheWeight)
  }

  get followed(): Known | undefined {
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
    for (let asked = 0; ; ) {
      try {
        const result = await decide(this.cache)
        this.cache.trim()
        return result
      } catch (cause) {
        if (!(cause instanceof NotLoaded)) throw cause
        const { lookup } = cause
        const lookups = asked < lookupsInTurn ? [lookup] : this.cache.missing(decide, lookup)
        asked += lookups.length
        if (asked > maxLookups)
          throw new TooManyLookupsError(
            `A request needs more than ${maxLookups} lookups, or than DIRECTORY_CACHE_OBJECTS: let it concern fewer objects, or raise that setting`,
          )
        await (log === undefined
          ? Promise.all(lookups.map((one) => this.load(one)))
          : this.#inTurn(() => this.#ask(lookups, log)))
      }
    }
  }

  /** Loads an answer. Lookups at the same time share a snapshot. */
  async load(lookup: DirectoryLookup): Promise<void> {
    const id = lookupId(lookup)
    if (this.#asked.has(id)) return void (await this.#open)
    this.#wanted.set(id, lookup)
    try {
      while (this.#wanted.has(id)) await this.follow()
    } finally {
      this.#wanted.delete(id)
    }
  }

  /**
   * Brings the cache to the latest commits, and adds the answers to wanted lookups. All calls while a
   * question is open share the next one.
   *
   * @param log a log of the caller alone; default the shared one
   */
  follow(log?: LogReader): Promise<void> {
    if (log !== undefined) return this.#inTurn(() => this.#ask([], log))
    if (this.#open === undefined) return this.#inTurn(() => this.#askWanted())
    this.#next ??= this.#inTurn(() => {
      this.#next = undefined
      return this.#askWanted()
    })
    return this.#next
  }

  /** Asks when no other question is open: an answer continues from the state in which it was asked. */
  #inTurn(ask: () => Promise<void>): Promise<void> {
    const asking = this.#open === undefined ? ask() : this.#open.then(ask)
    const ended = () => {
      if (this.#open === open) this.#open = undefined
    }
    const open = asking.then(ended, ended)
    this.#open = open
    return asking
  }

  #askWanted(): Promise<void> {
    const wanted = [...this.#wanted].slice(0, maxLookupsPerLoad)
    this.#asked = new Set(wanted.map(([id]) => id))
    for (const id of this.#asked) this.#wanted.delete(id)
    const lookups = wanted.map(([, lookup]) => lookup)
    return this.#ask(lookups, this.#options.log).finally(() => {
      this.#asked = new Set()
    })
  }

  async #ask(lookups: readonly DirectoryLookup[], log: LogReader): Promise<void> {
    const known = this.#followed
    if (known === undefined) return this.#start(lookups, log)
    const askedAtMs = this.#options.monotonicNowMs()
    const own: OwnCommit[] = []
    this.#ownMeanwhile = own
    const { latest, hasKnown, changes, loaded } = await log.changesAfter(known, lookups)
    if (!hasKnown) {
      this.#forget(latest)
      return this.#ask(lookups, log)
    }
    if (changes === undefined) return this.#start(lookups, log)
    if (latest !== known) {
      this.#followed = latest
      this.cache.apply(latest.revision, changes)
    }
    this.cache.add(loaded)
    for (const one of own) if (!isKnown(latest, one.commit)) this.#apply(one)
    this.#asOfMs = Math.max(this.#asOfMs, askedAtMs)
    this.#giveUpMissing()
  }

  /** Follows the own commit without a query. The cache may have read it, and later ones, already. */
  followOwn(own: OwnCommit): void {
    this.#ownMeanwhile.push(own)
    if (this.#followed === undefined || isKnown(this.#followed, own.commit)) return
    this.#apply(own)
    this.cache.trim()
  }

  #apply({ changes, commit }: OwnCommit): void {
    if (this.#followed === undefined) return
    this.#followed = knownWith(this.#followed, [commit])
    const mark = commit.mark ?? ''
    this.cache.applyOwn(
      this.#followed.revision,
      changes.map((change) => ({ ...change, mark })),
    )
  }

  async #start(lookups: readonly DirectoryLookup[], log: LogReader): Promise<void> {
    const askedAtMs = this.#options.monotonicNowMs()
    const latest = await log.latest()
    this.cache.reset(latest.revision)
    this.#followed = latest
    this.#asOfMs = Math.max(this.#asOfMs, askedAtMs)
    if (lookups.length > 0) await this.#ask(lookups, log)
  }

  /** Nothing is answered from the lost history: until the log is read again, reads wait. */
  #forget(latest: Commit): void {
    this.#options.onReversal(this.#followed ?? beginning, latest)
    this.#followed = undefined
    this.cache.reset(0)
    this.#asOfMs = Number.NEGATIVE_INFINITY
  }

  /** A commit that failed leaves its number. Without an end, each question would ask for it again. */
  #giveUpMissing(): void {
    const nowMs = this.#options.monotonicNowMs()
    const missing = this.#followed?.missing ?? []
    this.#missingSince = new Map(
      missing.map((number) => [number, this.#missingSince.get(number) ?? nowMs]),
    )
    const late = missing.filter(
      (number) => nowMs - (this.#missingSince.get(number) ?? nowMs) > maxMissingMs,
    )
    if (late.length === 0 || this.#isGivingUp) return
    this.#isGivingUp = true
    const done = () => {
      this.#isGivingUp = false
    }
    void this.#options.log.giveUp(late).then(done, done)
  }
}
