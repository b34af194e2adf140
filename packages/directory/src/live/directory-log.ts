import type { AuditRecord } from '../audit/audit-record.ts'
import type { CommittedChange, DirectoryChange } from '../model/directory-change.ts'
import type { Tenant } from '../model/tenant.ts'
import type { ChangePage, ChangeQuery, FollowedKind } from './change-list.ts'
import type { Commit } from './commit.ts'
import type { DeletedObject, ListedKind, ListPage, ListQuery } from './directory-list.ts'
import type { DirectoryLookup, LoadedLookup } from './directory-lookup.ts'

/** The answer to a follower, as of one moment. */
export type Followed = {
  /** The latest commit. */
  readonly latest: Commit
  /** False when the log does not have the commit that the follower knows: the store went back. */
  readonly hasKnown: boolean
  /**
   * The latest state of every object that changed after the known commit, each once. Undefined when the
   * log does not have this commit, or too much changed: the follower must start again.
   */
  readonly changes: readonly CommittedChange[] | undefined
  /** The answers to the lookups, and related answers; empty when `changes` is undefined. */
  readonly loaded: readonly LoadedLookup[]
}

/** The tenants that a start of a server examines, as of one commit. */
export type TenantSurvey = {
  readonly revision: number
  readonly oldest: Tenant | undefined
  /** The service principals that tenants lack, up to a limit. */
  readonly lacking: readonly { readonly tenantId: string; readonly appId: string }[]
}

/** The part of a log that a follower reads. */
export type LogReader = Pick<DirectoryLog, 'latest' | 'changesAfter'>

/** The part of a log that an update needs. */
export type ExclusiveLog = LogReader & Pick<DirectoryLog, 'commit'>

/**
 * The directory in the store. Every storage adapter provides it.
 *
 * It is a log of commits, each one revision. Replicas share it and meet only in `commit`. Any failure to
 * reach the storage is thrown as a `StorageUnavailableError`.
 */
export interface DirectoryLog {
  /** The latest commit, after which a follower begins. */
  latest(): Promise<Commit>

  /**
   * Finds the oldest tenant, and the tenants without a service principal of one of these applications.
   *
   * @param limit the maximum number of service principals that are lacking
   */
  surveyTenants(appIds: readonly string[], limit: number): Promise<TenantSurvey>

  /** Reads the changes after a commit, and the answers to lookups, in one snapshot. */
  changesAfter(known?: Commit, lookups?: readonly DirectoryLookup[]): Promise<Followed>

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

  /**
   * Calls a function with the log, while no other process can commit to it. What the function commits
   * is durable when the result is known.
   */
  exclusively<Result>(write: (log: ExclusiveLog) => Promise<Result>): Promise<Result>

  /** One page of a list, as of the latest commit. */
  list<Kind extends ListedKind>(query: ListQuery<Kind>): Promise<ListPage<Kind>>

  /**
   * One page of the objects of a tenant that changed between two commits, in the order of their changes.
   *
   * @returns undefined when the log does not have these commits, or not all removals since then: the client
   *   must start again
   */
  listChanges<Kind extends FollowedKind>(
    query: ChangeQuery<Kind>,
  ): Promise<ChangePage<Kind> | undefined>

  /** Objects that were soft-deleted before a time, the oldest first. */
  deletedBefore(time: Date, limit: number): Promise<readonly DeletedObject[]>

  /** Deletes the records of removed objects that no follower needs. */
  prune(): Promise<void>
}
