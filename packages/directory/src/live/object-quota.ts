import type { DirectoryChange } from '../model/directory-change.ts'

/** The maximum number of objects in a tenant, and how many each tenant gains by a change. */
export type ObjectQuota = {
  readonly maxObjects: number
  readonly growth: readonly (readonly [tenantId: string, more: number])[]
}

/** The error when a change would give a tenant more objects than its quota. Nothing was written. */
export class QuotaExceededError extends Error {
  readonly code = 'quota_exceeded'
  override readonly name = 'QuotaExceededError'
}

/**
 * Counts the applications and service principals that each tenant gains. A soft-deleted one already counts.
 *
 * @returns undefined when no tenant gets one
 */
export function quotaOf(
  changes: readonly DirectoryChange[],
  maxObjects: number,
  exists: (change: DirectoryChange) => boolean,
): ObjectQuota | undefined {
  const added = changes.filter(
    (change) =>
      (change.kind === 'application' || change.kind === 'servicePrincipal') &&
      change.value !== null &&
      !exists(change),
  )
  if (added.length === 0) return undefined
  const byTenant = Map.groupBy(added, ({ value }) => (value as { tenantId: string }).tenantId)
  return { maxObjects, growth: [...byTenant].map(([id, { length }]) => [id, length]) }
}
