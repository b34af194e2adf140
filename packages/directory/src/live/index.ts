export type { ChangePage, ChangePosition, ChangeQuery, FollowedKind } from './change-list.ts'
export type { Commit } from './commit.ts'
export type {
  DeletedObject,
  IndexedComparison,
  ListCondition,
  ListedKind,
  ListOrder,
  ListPage,
  ListQuery,
} from './directory-list.ts'
export type { TenantSurvey } from './directory-log.ts'
export { DirectoryStore } from './directory-store.ts'
export { eventuallyConsistent } from './eventually-consistent-directory.ts'
export { LeastRecentlyUsed } from './least-recently-used.ts'
export { QuotaExceededError } from './object-quota.ts'
export { RepeatableRuntime } from './repeatable-runtime.ts'
export { StandbyReads, type StandbyState } from './standby-reads.ts'
export { StorageUnavailableError, TooManyLookupsError } from './storage-unavailable-error.ts'
export { StoreReversals } from './store-reversals.ts'
