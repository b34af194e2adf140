import type { Directory } from '../directory/directory.ts'
import type { DirectoryChange } from '../directory/directory-change.ts'
import { privilegedApiAppIds } from '../directory/privileged-api-ids.ts'
import { refuse } from './http/graph-error.ts'

/**
 * Judges whether changes leave the management APIs as they are. A caller who could change their
 * applications could change what every management role means. Their service principals are made
 * together with a tenant, and are not changed after that.
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
    const isMadeWithTenant =
      change.kind === 'servicePrincipal' && newTenantIds.has(change.value?.tenantId ?? '')
    if (isMadeWithTenant) continue
    const appIds = appIdsOf(committed, change)
    if (appIds.some((appId) => privilegedApiAppIds.includes(appId)))
      throw refuse('protected_object')
  }
}

/** The application that an object is, or stands for, before and after a change. */
function appIdsOf(committed: Directory, { kind, id, value }: DirectoryChange): string[] {
  if (kind === 'application')
    return [committed.application(id), value].flatMap((one) => one?.appId ?? [])
  if (kind === 'servicePrincipal')
    return [committed.servicePrincipal(id), value].flatMap((one) => one?.appId ?? [])
  return []
}
