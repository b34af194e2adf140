import type { AuditRecord } from '../audit/audit-record.ts'
import type { CommittedChange, DirectoryChange } from '../model/directory-change.ts'
import type { Tenant } from '../model/tenant.ts'
import type { ChangePage, ChangeQuery, FollowedKind } from './change-list.ts'
import type { Commit, Known } from './commit.ts'
import type { DeletedObject, ListedKind, ListPage, ListQuery } from './directory-list.ts'
import type { DirectoryLookup, LoadedLookup } from './directory-lookup.ts'
import type { ObjectQuota } from './object-quota.ts'

/** The log's response to a follower, as of one moment. */
export type Followed = {
  /** The follower's state with this result; the same object when nothing is new. */
  readonly latest: Known
  /** False when the log lacks the follower's commit: the store was rolled back. */
  readonly hasKnown: boolean
  /**
   * The latest state of every object that changed after the known commit, each once. Undefined when the
   * log does not have this commit, or too much changed: the follower must start again.
   */
  readonly changes: readonly CommittedChange[] | undefined
  /** The answers to the lookups, and related answers; empty when `changes` is undefined. */
  readonly loaded: readonly LoadedLookup[]
}

/** The tenants that a server checks when it starts, as of one commit. */
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

export type CommitOptions = {
  /**
   * Whether the commit waits while another one writes to one of its logs; default true. Otherwise this is a
   * conflict, and so is a log that has no commit yet.
   */
  readonly waitsForLogs?: boolean
  /** Compared with the objects in the store, while no other commit to these logs can begin; default none. */
  readonly quota?: ObjectQuota | undefined
}

/** The log of what is unique across tenants: their IDs and domains. */
export const logOfAll = 'directory'

/**
 * Returns the logs of changes: the tenant of each change, or `logOfAll` for a tenant.
 *
 * @param keepsDomains whether a tenant exists, with the same domains; default never
 * @param tenantOf the tenant of an object that is removed; default unknown, which is `logOfAll`
 */
export function logsOf(
  changes: readonly DirectoryChange[],
  keepsDomains: (tenant: Tenant) => boolean = () => false,
  tenantOf: (removed: Exclude<DirectoryChange, { kind: 'tenant' }>) => string | undefined = () =>
    undefined,
): readonly string[] {
  const logs = changes.flatMap((change): readonly string[] => {
    const { kind, id, value } = change
    if (kind !== 'tenant') return [value?.tenantId ?? tenantOf(change) ?? logOfAll]
    return value !== null && keepsDomains(value) ? [id] : [id, logOfAll]
  })
  // In one order, so that two commits to the same tenants do not wait for each other.
  return [...new Set(logs)].sort()
}

/**
 * The directory in the store. Every storage adapter provides it.
 *
 * It is a log of commits, each one revision. Replicas share it and meet only in `commit`, where they write
 * the same tenant. Any failure to reach the storage is thrown as a `StorageUnavailableError`.
 */
export interface DirectoryLog {
  /** The latest commit, after which a follower begins. */
  latest(): Promise<Known>

  /**
   * Finds the oldest tenant, and the tenants without a service principal of one of these applications.
   *
   * @param limit the maximum number of service principals that are lacking
   */
  surveyTenants(appIds: readonly string[], limit: number): Promise<TenantSurvey>

  /** Reads the changes after a commit, and the answers to lookups, in one snapshot. */
  changesAfter(known?: Known, lookups?: readonly DirectoryLookup[]): Promise<Followed>

  /**
   * Writes changes and their audit records in one transaction, durably, with this mark. Commits to other
   * tenants neither delay it nor prevent it.
   *
   * @param base what the changes were decided on
   * @param logs see `logsOf`
   * @param options see `CommitOptions`
   * @returns the commit, which is `base` when there are no changes; `'conflict'`, with nothing written, when
   *   one of the logs has another commit after `base`, or the log does not have `base`
   * @throws {QuotaExceededError} quota_exceeded, with nothing written, when a tenant would exceed the quota
   */
  commit(
    base: Known,
    mark: string,
    changes: readonly DirectoryChange[],
    audit: readonly AuditRecord[],
    logs?: readonly string[],
    options?: CommitOptions,
  ): Promise<Commit | 'conflict'>

  /**
   * Calls a function, while no other process can commit to these logs. What the function commits
   * is durable when the result is known.
   */
  exclusively<Result>(
    logs: readonly string[],
    write: (log: ExclusiveLog) => Promise<Result>,
  ): Promise<Result>

  /** Writes the numbers of commits that were given up, so that no follower misses them any more. */
  giveUp(numbers: readonly number[]): Promise<void>

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
