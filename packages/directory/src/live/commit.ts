/** The names of the logs. Each log counts its commits separately. */
export type RevisionLog = 'directory' | 'signing-keys'

/**
 * A commit of a log: its number and its random mark.
 *
 * Numbers repeat when the store is rolled back, as after a failover to a standby that lags. Marks
 * do not: two stores that have the same mark at a number have the same history up to it.
 */
export type Commit = {
  /** Counted from 1; 0 is the state before the first commit. */
  readonly revision: number
  /** Null for the state before the first commit. */
  readonly mark: string | null
}

/**
 * What a follower has read of the log of the directory: the commit with the highest number, and what is not
 * clear from it. Commits of several tenants are written at the same time, so a number may be visible before
 * a lower one. A single commit stands for all up to it.
 */
export type Known = Commit & {
  /** Lower numbers that were not there: of commits that are being written, or that were given up. */
  readonly missing?: readonly number[]
  /** The commits that were read last, the newest first. A store that has them has all that were read before. */
  readonly recent?: readonly Commit[]
}

/** The state of a follower before the first commit. */
export const beginning: Commit = { revision: 0, mark: null }

/** Called after a commit of a log is stored, and before it is acknowledged. */
export type OnCommit = (log: RevisionLog, commit: Commit) => Promise<void>

export const newMark = (): string => crypto.randomUUID()

/**
 * The minimum number of commits that a follower remembers. Two commits may become visible in
 * another order than a standby receives them, so the last one is not enough.
 */
export const commitsRemembered = 8

/** The commits by which a follower recognizes its store. */
export const recentOf = (known: Known): readonly Commit[] =>
  known.recent ?? (known.revision === 0 ? [] : [known])

/** Whether a follower has read a commit. */
export const isKnown = ({ revision, missing = [] }: Known, commit: Commit): boolean =>
  commit.revision <= revision && !missing.includes(commit.revision)

/** The state of a follower after it has read other commits; the same object when there are none. */
export function knownWith(known: Known, commits: readonly Commit[]): Known {
  const added = commits.filter((commit) => !isKnown(known, commit))
  if (added.length === 0) return known
  const latest = added.reduce<Commit>((a, b) => (b.revision > a.revision ? b : a), known)
  const between = Math.max(0, latest.revision - known.revision - 1)
  const numbers = new Set(added.map(({ revision }) => revision))
  const passed = Array.from({ length: between }, (_, index) => known.revision + 1 + index)
  return {
    revision: latest.revision,
    mark: latest.mark,
    missing: [...(known.missing ?? []), ...passed].filter((number) => !numbers.has(number)),
    recent: [
      ...added.toReversed(),
      ...recentOf(known).slice(0, Math.max(0, commitsRemembered - added.length)),
    ],
  }
}
