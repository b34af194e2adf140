import type { Runtime } from '../../../directory/runtime.ts'
import type { DirectoryStore } from '../../../storage/directory-store.ts'
import { expiredItemChanges } from './deleted-item.ts'

/**
 * Purges what was deleted more than 30 days ago: to be called now and then.
 *
 * @returns how many objects are gone now.
 * @throws {StorageUnavailableError} storage_unavailable when the directory cannot be changed.
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
