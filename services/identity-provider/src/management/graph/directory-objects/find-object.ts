import {
  type Application,
  azurePrincipals,
  type Directory,
  isGuid,
  type ServicePrincipal,
} from '@greeting/directory'
import { requireMatch } from '../../odata/entity-tag.ts'
import type { Call, ListCall, RequestCall } from '../../operations/operation.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { type DirectoryObject, typeOf } from './object-type.ts'
import { type User, usersOf } from './user.ts'

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
        ? (directory.application(name) ?? blueprintByAppId(directory, name))
        : directory.applicationByAppId(name)
  if (application?.tenantId !== caller.tenantId || application.deletedDateTime !== null)
    throw refuse('resource_unknown', name)
  requireCast(call, application)
  requireMatch(ifMatch, directory.markOf('application', application.id))
  return application
}

/** A blueprint of an earlier release has another object ID, where clients write its application ID too. */
function blueprintByAppId(directory: Directory, appId: string): Application | undefined {
  const application = directory.applicationByAppId(appId)
  return application?.blueprint ? application : undefined
}

/**
 * Requires that an object has the type to which the path casts, and that the caller may reach it.
 *
 * @throws {GraphError} graph_refusal resource_unknown, role_missing.
 */
function requireCast({ caller, cast, directory }: Call, object: DirectoryObject): void {
  if (!hasCast(cast, object, directory)) throw refuse('resource_unknown', object.id)
  if (!isReachable(caller, object)) throw refuse('role_missing')
}

const hasCast = (cast: Call['cast'], object: DirectoryObject, directory: Directory): boolean =>
  cast === undefined || typeOf(object, directory) === cast

/** A blueprint without other roles reaches its own agents only. */
const isReachable = ({ applicationId, ownAgentsOnly }: Call['caller'], object: DirectoryObject) =>
  !ownAgentsOnly ||
  ('agentIdentityBlueprintId' in object && object.agentIdentityBlueprintId === applicationId)

/** True if an object is in a list; undefined if all are. */
export const listedIn = ({ caller, cast }: Pick<ListCall, 'caller' | 'cast'>) =>
  cast === undefined
    ? undefined
    : (object: DirectoryObject, directory: Directory) =>
        hasCast(cast, object, directory) && isReachable(caller, object)

/** The value of `name=...` as the key of an object in a path; undefined for another key. */
export const keyIn = (key = '', name: string): string | undefined =>
  key.startsWith(`${name}=`) ? key.slice(name.length + 1) : undefined

/**
 * Finds one of the parts of an object by its ID in the path, in any case.
 *
 * @throws {GraphError} graph_refusal resource_unknown.
 */
export function partNamed<Part extends { readonly id: string }>(
  parts: readonly Part[],
  key = '',
): Part {
  const part = parts.find(({ id }) => id === key.toLowerCase())
  if (part === undefined) throw refuse('resource_unknown', key)
  return part
}

/**
 * Finds the service principal in the path of a request, by object ID or as `appId=...`, and checks `If-Match`.
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
  requireCast(call, principal)
  requireMatch(ifMatch, directory.markOf('servicePrincipal', principal.id))
  return principal
}

/** Finds a tenant's service principal by its object ID, unless it is deleted. */
export function activeServicePrincipal(
  directory: Directory,
  tenantId: string,
  id: string,
): ServicePrincipal | undefined {
  const principal =
    directory.servicePrincipal(id) ?? azurePrincipals(tenantId).find((one) => one.id === id)
  return principal?.tenantId === tenantId && principal.deletedDateTime === null
    ? principal
    : undefined
}

/** Finds a tenant's user or service principal by its object ID, unless it is deleted. */
export function ownerOf(directory: Directory, tenantId: string, id: string): Owner | undefined {
  const tenant = directory.tenant(tenantId)
  const user = tenant && usersOf(tenant).find((one) => one.id === id)
  return user ?? activeServicePrincipal(directory, tenantId, id)
}

export const activeOwners = (
  directory: Directory,
  tenantId: string,
  ownerIds: readonly string[],
): Owner[] => ownerIds.flatMap((id) => ownerOf(directory, tenantId, id) ?? [])

type Owner = ServicePrincipal | User

/**
 * Finds the user in the path of a request, by object ID or user principal name.
 *
 * @throws {GraphError} graph_refusal resource_unknown.
 */
export function findUser({ caller, parameters }: RequestCall): User {
  const { id: key = '' } = parameters
  const users = usersOf(caller.tenant)
  const named = users.find((one) => one.userPrincipalName === key.toLowerCase())
  return named ?? partNamed(users, key)
}
