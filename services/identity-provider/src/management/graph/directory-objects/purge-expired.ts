import { systemRecord } from '@greeting/directory/audit'
import type { AgreedTime } from '@greeting/directory/clock'
import type { DeletedObject, DirectoryStore } from '@greeting/directory/live'
import { expiredItemChanges, oldestRestorable } from './deleted-item.ts'

/** Items of one transaction: other changes must not wait long. */
const itemsPerPurge = 20

/**
 * Purges all items that were deleted before their retention time, in parts. The service calls it
 * periodically.
 *
 * @param retentionDays how long a deleted item can be restored; default 30
 * @returns the number of removed objects
 * @throws {StorageUnavailableError} when the directory cannot be changed.
 */
export async function purgeExpired(
  store: DirectoryStore,
  { date }: AgreedTime,
  retentionDays = 30,
): Promise<number> {
  const before = oldestRestorable(date, retentionDays)
  for (let removed = 0; ; ) {
    const items = await store.deletedBefore(before, itemsPerPurge)
    if (items.length === 0) return removed
    const count = await purge(store, items, before, date)
    // Another server purged or restored these items.
    if (count === 0) return removed
    removed += count
  }
}

const purge = (
  store: DirectoryStore,
  items: readonly DeletedObject[],
  before: Date,
  at: Date,
): Promise<number> =>
  store.update((directory) => {
    const changes = expiredItemChanges(directory, items, before)
    return {
      changes,
      audit: changes
        .filter(({ kind }) => kind !== 'appRoleAssignment')
        .map(({ id }) => systemRecord(at, 'deletedItem.purge', id)),
      result: changes.length,
    }
  })
