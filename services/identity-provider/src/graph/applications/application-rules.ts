import { judgeAppRoleChange, judgeAppRoles } from '../../directory/app-role-rules.ts'
import type { Application } from '../../directory/application.ts'
import type { Directory } from '../../directory/directory.ts'
import type { Fault } from '../../directory/fault.ts'
import { judgeIdentifierUris } from '../../directory/identifier-uri-rules.ts'
import type { Tenant } from '../../directory/tenant.ts'
import { refuseFaults } from '../http/body-faults.ts'
import { refuse } from '../http/graph-error.ts'
import { maxEntries, maxPermissions } from './application-body.ts'

/**
 * Judges the state that somebody wants an application to be in.
 *
 * @param before The state that it is in; undefined when it is new.
 * @param body What is quoted where a sentence names a value.
 * @throws {GraphError} GRAPH_REFUSAL when it is against the rules of the directory.
 */
export function requireValid(
  application: Application,
  before: Application | undefined,
  tenant: Tenant,
  committed: Directory,
  body: unknown,
): void {
  // Sizes first: the other rules look at every entry.
  refuseFaults([...judgeSize(application), ...judgePermissionCount(application)], body)
  refuseFaults(
    [
      ...judgeAppRoles(application.appRoles).map(under('appRoles')),
      ...judgeAppRoleChange(before?.appRoles ?? [], application.appRoles).map(under('appRoles')),
      ...judgeNewUris(application, before, tenant),
      ...judgeResources(application),
    ],
    body,
  )
  const taken = urisTaken(application, committed)
  if (application.identifierUris.some((uri) => taken.has(uri))) throw refuse('identifierUriTaken')
}

/** Names that are there already stay: the rules were others when they were given. */
function judgeNewUris(
  application: Application,
  before: Application | undefined,
  tenant: Tenant,
): Fault[] {
  const known = new Set(before?.identifierUris)
  return judgeIdentifierUris(application, tenant)
    .filter(({ code, path: [index] }) => {
      const uri = application.identifierUris[Number(index)]
      return code === 'DUPLICATE_VALUE' || !known.has(uri ?? '')
    })
    .map(under('identifierUris'))
}

const permissionFault = (message: string): Fault => ({
  code: 'INVALID_VALUE',
  path: ['requiredResourceAccess'],
  message,
})

function judgePermissionCount({ requiredResourceAccess }: Application): Fault[] {
  const permissions = requiredResourceAccess.reduce(
    (sum, { resourceAccess }) => sum + resourceAccess.length,
    0,
  )
  if (permissions <= maxPermissions) return []
  return [permissionFault(`must not hold more than ${maxPermissions} permissions`)]
}

function judgeResources({ requiredResourceAccess }: Application): Fault[] {
  const resources = new Set(requiredResourceAccess.map(({ resourceAppId }) => resourceAppId))
  if (resources.size === requiredResourceAccess.length) return []
  return [permissionFault('must name each resource only once')]
}

function judgeSize(application: Application): Fault[] {
  const entries = Object.values(application).reduce<number>(
    (sum, value) => sum + (Array.isArray(value) ? value.length : 0),
    0,
  )
  if (entries <= maxEntries) return []
  const message = `must not hold more than ${maxEntries} entries in all its collections together`
  return [{ code: 'INVALID_VALUE', path: [], message }]
}

/** The names that others have: a soft-deleted application keeps its own until it is purged. */
function urisTaken({ id, appId, tenantId, identifierUris }: Application, directory: Directory) {
  const taken = new Set<string>()
  for (const other of directory.applicationsOf(tenantId))
    if (other.id !== id) for (const uri of other.identifierUris) taken.add(uri)
  for (const uri of identifierUris) {
    const known = directory.servicePrincipalByName(tenantId, uri)
    if (known !== undefined && known.appId !== appId) taken.add(uri)
  }
  return taken
}

const under =
  (property: string) =>
  (fault: Fault): Fault => ({ ...fault, path: [property, ...fault.path] })
