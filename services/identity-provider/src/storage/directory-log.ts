import type { CommittedChange, DirectoryChange } from '../directory/directory-change.ts'
import type { AuditRecord } from './audit-record.ts'

/**
 * The durable side of the directory, which every storage adapter provides.
 *
 * A log of commits, each one revision. Replicas share it and meet only in `commit`. Any failure to
 * reach the storage is thrown as a `StorageUnavailableError`.
 */
export interface DirectoryLog {
  /**
   * What changed after a revision: the latest state of every object that did, each once, with the
   * revision in which it last changed. Objects that are gone are told as such. Revision and changes
   * are read as of one moment.
   */
  changesAfter(revision: number): Promise<{
    /** The latest committed revision. */
    readonly revision: number
    readonly changes: readonly CommittedChange[]
  }>

  /**
   * Writes changes and their audit records in one transaction, durably, as revision
   * `baseRevision + 1`.
   *
   * @returns `'conflict'`, with nothing written, when another commit already followed
   *   `baseRevision`: at most one commit follows each revision.
   */
  commit(
    baseRevision: number,
    changes: readonly DirectoryChange[],
    audit: readonly AuditRecord[],
  ): Promise<'committed' | 'conflict'>
}
