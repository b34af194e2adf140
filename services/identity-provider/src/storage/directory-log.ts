import type { CommittedChange, DirectoryChange } from '../directory/directory-change.ts'
import type { AuditRecord } from './audit-record.ts'
import type { Commit } from './commit.ts'

/** What a log says to a follower, as of one moment. */
export type Followed = {
  /** The latest commit. */
  readonly latest: Commit
  /** False when the log does not have the commit that the follower knows: the store went back. */
  readonly hasKnown: boolean
  /** What changed after the known commit; empty when the log does not have it. */
  readonly changes: readonly CommittedChange[]
}

/**
 * The durable side of the directory, which every storage adapter provides.
 *
 * A log of commits, each one revision. Replicas share it and meet only in `commit`. Any failure to
 * reach the storage is thrown as a `StorageUnavailableError`.
 */
export interface DirectoryLog {
  /**
   * What changed after a commit: the latest state of every object that did, each once, with the
   * revision in which it last changed. Objects that are gone are told as such.
   *
   * @param known Default: the state before the first commit.
   */
  changesAfter(known?: Commit): Promise<Followed>

  /**
   * Writes changes and their audit records in one transaction, durably, as the commit that follows
   * `base`, with this mark.
   *
   * @returns `'conflict'`, with nothing written, when another commit already followed `base`, or the
   *   log does not have `base`: at most one commit follows each commit.
   */
  commit(
    base: Commit,
    mark: string,
    changes: readonly DirectoryChange[],
    audit: readonly AuditRecord[],
  ): Promise<'committed' | 'conflict'>
}
