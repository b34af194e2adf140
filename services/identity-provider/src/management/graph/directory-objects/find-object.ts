import {
  type Application,
  type Directory,
  isGuid,
  type ServicePrincipal,
} from '@greeting/directory'
import { requireMatch } from '../../odata/entity-tag.ts'
import type { Call } from '../../operations/operation.ts'
import { refuse } from '../../refusals/graph-error.ts'

/**
 * Finds the application in the path of a request, by object ID, as `appId=...` or as `uniqueName=...`, and
 * checks `If-Match`.
 *
 * @throws {GraphError} graph_refusal identifier_invalid, resource_unknown, object_changed.
 */
export function findApplication(call: Call): Application {
  const { caller, directory, ifMatch, parameters } = call
  const { id: key = '' } = parameters
  const uniqueName = keyIn(key, 'uniqueName')
  const appId = keyIn(key, 'appId')
  const name = uniqueName ?? appId ?? key
  if (uniqueName === undefined && !isGuid(name)) throw refuse('identifier_invalid', name)
  const application =
    uniqueName !== undefined
      ? directory.applicationByUniqueName(caller.tenantId, uniqueName)
      : appId === undefined
        ? directory.application(name)
        : directory.applicationByAppId(name)
  if (application?.tenantId !== caller.tenantId || application.deletedDateTime !== null) {
    throw refuse('resource_unknown', name)
  }
  requireMatch(ifMatch, directory.revisionOf('application', application.id) ?? 0)
  return application
}

/** The value of `name=...`, the key of an object in a path; undefined when it has another key. */
export const keyIn = (key = '', name: string): string | undefined =>
  key.startsWith(`${name}=`) ? key.slice(name.length + 1) : undefined

/**
 * Finds the service principal in the path of a request, by object ID or as `appId=...`, and checks
 * `If-Match`.
 *
 * @throws {GraphError} graph_refusal identifier_invalid, resource_unknown, object_changed.
 */
export function findServicePrincipal(call: Call): ServicePrincipal {
  const { caller, directory, ifMatch, parameters } = call
  const { id: key = '' } = parameters
  const appId = keyIn(key, 'appId')
  const name = appId ?? key
  if (!isGuid(name)) throw refuse('identifier_invalid', name)
  const principal =
    appId === undefined
      ? activeServicePrincipal(directory, caller.tenantId, name)
      : directory.servicePrincipalByAppId(caller.tenantId, name)
  if (principal === undefined) throw refuse('resource_unknown', name)
  requireMatch(ifMatch, directory.revisionOf('servicePrincipal', principal.id) ?? 0)
  return principal
}

/** The service principal of a tenant by its object ID, unless it is deleted. */
export function activeServicePrincipal(
  directory: Directory,
  tenantId: string,
  id: string,
): ServicePrincipal | undefined {
  const principal = directory.servicePrincipal(id)
  return principal?.tenantId === tenantId && principal.deletedDateTime === null
    ? principal
    : undefined
}

/** The owners that are not deleted. */
export const activeOwners = (
  directory: Directory,
  tenantId: string,
  ownerIds: readonly string[],
): ServicePrincipal[] =>
  ownerIds.flatMap((id) => activeServicePrincipal(directory, tenantId, id) ?? [])
