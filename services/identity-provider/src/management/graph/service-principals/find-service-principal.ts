import type { Directory } from '../../../directory/directory.ts'
import { isGuid } from '../../../directory/guid.ts'
import type { ServicePrincipal } from '../../../directory/service-principal.ts'
import { refuse } from '../../http/graph-error.ts'
import type { Call } from '../../http/operation.ts'
import { requireMatch } from '../../odata/entity-tag.ts'

/**
 * The service principal that the path of a call names, by object id or as `appId=...`, in the state
 * that the caller means.
 *
 * @throws {GraphError} graph_refusal when the tenant has none, or it was changed since.
 */
export function findServicePrincipal(call: Call): ServicePrincipal {
  const { caller, directory, ifMatch, parameters } = call
  const { id: key = '' } = parameters
  const [, appId] = /^appId=(.*)$/s.exec(key) ?? []
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

/** The service principal of a tenant with an object id, unless it was deleted. */
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
