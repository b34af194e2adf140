import {
  type Application,
  type Directory,
  type DirectoryChange,
  isGuid,
  remove,
  type ServicePrincipal,
} from '@greeting/directory'
import { dayMs } from '@greeting/directory/clock'
import type { DeletedObject } from '@greeting/directory/live'
import { requireMatch } from '../../odata/entity-tag.ts'
import type { Call } from '../../operations/operation.ts'
import { refuse } from '../../refusals/graph-error.ts'

type DeletedItem =
  | { readonly kind: 'application'; readonly value: Application }
  | { readonly kind: 'servicePrincipal'; readonly value: ServicePrincipal }

/** The earliest deletion time of an item that can still be restored. */
export const oldestRestorable = (now: Date, retentionDays: number): Date =>
  new Date(now.getTime() - retentionDays * dayMs)

/** The time from which an item's retention counts, so that a clock that is behind does not shorten it. */
export function deletionTime({ latestAgreed, runtime }: Call): Date {
  const now = runtime.now()
  const agreed = latestAgreed?.() ?? now
  return agreed > now ? agreed : now
}

/**
 * Finds the deleted item in the path of a request, and checks `If-Match`.
 *
 * @throws {GraphError} graph_refusal identifier_invalid, resource_unknown, object_changed.
 */
export function findDeletedItem(call: Call): DeletedItem {
  const { caller, directory, ifMatch, parameters, retentionDays, runtime } = call
  const { id = '' } = parameters
  if (!isGuid(id)) throw refuse('identifier_invalid', id)
  const item = itemOf(directory, id)
  const oldest = oldestRestorable(runtime.now(), retentionDays)
  const { deletedDateTime = null } = item?.value ?? {}
  const isRestorable = deletedDateTime !== null && deletedDateTime >= oldest
  if (item?.value.tenantId !== caller.tenantId || !isRestorable)
    throw refuse('resource_unknown', id)
  requireMatch(ifMatch, directory.markOf(item.kind, item.value.id))
  return item
}

function itemOf(directory: Directory, id: string): DeletedItem | undefined {
  const application = directory.application(id)
  if (application !== undefined) return { kind: 'application', value: application }
  const principal = directory.servicePrincipal(id)
  return principal && { kind: 'servicePrincipal', value: principal }
}

/** The maximum number of changes in one commit of a purge, because other changes must not wait long. */
export const maxPurged = 200

/** The changes that remove a deleted item permanently, after all objects that depend on it. */
export function* purgeChanges(directory: Directory, item: DeletedItem): Generator<DirectoryChange> {
  const { appId, id, tenantId } = item.value
  const isOfApplication = item.kind === 'application'
  for (const agent of directory.agentsOf(appId))
    if (isOfApplication || agent.tenantId === tenantId) yield* removalChanges(directory, agent)
  const principals = isOfApplication
    ? directory.servicePrincipalsOfApplication(appId)
    : [item.value]
  for (const principal of principals) yield* removalChanges(directory, principal)
  if (isOfApplication) yield remove('application', id)
}

/** The first changes that purge items which were deleted before a given time. */
export function expiredItemChanges(
  directory: Directory,
  items: readonly DeletedObject[],
  before: Date,
): DirectoryChange[] {
  const changes = new Map<string, DirectoryChange>()
  for (const { id } of items) {
    const item = itemOf(directory, id)
    const { deletedDateTime = null } = item?.value ?? {}
    if (item === undefined || deletedDateTime === null || deletedDateTime >= before) continue
    // The purges of an application and of its service principal remove the same objects.
    for (const change of purgeChanges(directory, item)) {
      if (changes.size === maxPurged) break
      changes.set(`${change.kind} ${change.id}`, change)
    }
  }
  return [...changes.values()]
}

function* removalChanges(directory: Directory, { id }: ServicePrincipal) {
  // A set, because an application may be assigned its own role.
  for (const one of new Set([...directory.assignmentsOf(id), ...directory.assignmentsTo(id)]))
    yield remove('appRoleAssignment', one.id)
  yield remove('servicePrincipal', id)
}
