/** The logs. Each counts its own commits. */
export type RevisionLog = 'directory' | 'signing-keys'

/**
 * A commit of a log: its number and its random mark.
 *
 * Numbers repeat when the store goes back, as after a failover to a standby that lags. Marks do not:
 * two stores that have the same mark at a number have the same history up to it.
 */
export type Commit = {
  /** Counted from 1; 0 is the state before the first commit. */
  readonly revision: number
  /** Null for the state before the first commit, and for commits of releases without marks. */
  readonly mark: string | null
}

/** The state before the first commit. */
export const beginning: Commit = { revision: 0, mark: null }

/** Called after a commit of a log is stored, and before it is acknowledged. */
export type OnCommit = (log: RevisionLog, commit: Commit) => Promise<void>

/** Makes the mark of a commit. */
export const newMark = (): string => crypto.randomUUID()
