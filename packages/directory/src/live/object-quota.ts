import type { DirectoryChange } from '../model/directory-change.ts'

/** The limit of the objects of a tenant, and how many more each tenant gets. */
export type ObjectQuota = {
  readonly maxObjects: number
  readonly growth: readonly (readonly [tenantId: string, more: number])[]
}

/** A change would give a tenant more objects than its quota. Nothing was written. */
export class QuotaExceededError extends Error {
  readonly code = 'quota_exceeded'
  override readonly name = 'QuotaExceededError'
}

/**
 * The applications and service principals that tenants get. A soft-deleted one is there already.
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
