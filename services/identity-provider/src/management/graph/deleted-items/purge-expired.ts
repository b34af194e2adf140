import type { Runtime } from '../../../directory/runtime.ts'
import type { DirectoryStore } from '../../../storage/directory-store.ts'
import { expiredItemChanges } from './deleted-item.ts'

/**
 * Purges all items that were deleted more than 30 days ago. The service calls it periodically.
 *
 * @returns the number of removed objects
 * @throws {StorageUnavailableError} when the directory cannot be changed.
 */
export const purgeExpired = (store: DirectoryStore, runtime: Runtime): Promise<number> =>
  store.update((directory) => {
    const at = runtime.now()
    const changes = expiredItemChanges(directory, at)
    return {
      changes,
      audit: changes
        .filter(({ kind }) => kind !== 'appRoleAssignment')
        .map(({ id }) => ({
          at,
          tenantId: null,
          actor: 'system',
          action: 'deletedItem.purge',
          target: id,
          outcome: 'done',
          reason: null,
          correlationId: null,
        })),
      result: changes.length,
    }
  })
