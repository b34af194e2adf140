import type { Directory } from '../../directory/directory.ts'
import type { DirectoryChange } from '../../directory/directory-change.ts'
import { builtInApiAppIds } from '../../directory/privileged-api-ids.ts'
import { refuse } from '../refusals/graph-error.ts'

/**
 * Refuses changes of the management APIs. A caller that could change their applications could change
 * the meaning of every management role. Their service principals are created together with a tenant,
 * and never changed.
 *
 * @throws {GraphError} graph_refusal protected_object.
 */
export function requireUnprotected(
  committed: Directory,
  changes: readonly DirectoryChange[],
): void {
  const newTenantIds = new Set(
    changes
      .filter(({ kind, id }) => kind === 'tenant' && committed.tenant(id) === undefined)
      .map(({ id }) => id),
  )
  for (const change of changes) {
    const isCreatedWithTenant =
      change.kind === 'servicePrincipal' && newTenantIds.has(change.value?.tenantId ?? '')
    if (isCreatedWithTenant) continue
    const appIds = appIdsOf(committed, change)
    if (appIds.some((appId) => builtInApiAppIds.includes(appId))) {
      throw refuse('protected_object')
    }
  }
}

/** The application IDs of a changed object, before and after the change. */
function appIdsOf(committed: Directory, { kind, id, value }: DirectoryChange): string[] {
  if (kind === 'application') {
    return [committed.application(id), value].flatMap((one) => one?.appId ?? [])
  }
  if (kind === 'servicePrincipal') {
    return [committed.servicePrincipal(id), value].flatMap((one) => one?.appId ?? [])
  }
  return []
}
