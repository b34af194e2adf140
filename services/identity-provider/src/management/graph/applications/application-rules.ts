import { judgeAppRoleChange, judgeAppRoles } from '../../../directory/app-role-rules.ts'
import type { Application } from '../../../directory/application.ts'
import type { Directory } from '../../../directory/directory.ts'
import { caseless, judgeIdentifierUris } from '../../../directory/identifier-uri-rules.ts'
import type { Tenant } from '../../../directory/tenant.ts'
import type { ValidationIssue } from '../../../directory/validation-issue.ts'
import { refuse } from '../../http/graph-error.ts'
import { requireNoIssues } from '../../http/parse-body.ts'
import { maxEntries, maxPermissions } from './application-body.ts'

/**
 * Judges the state that somebody wants an application to be in.
 *
 * @param before The state that it is in; undefined when it is new.
 * @param body What is quoted where a sentence names a value.
 * @throws {GraphError} graph_refusal when it is against the rules of the directory.
 */
export function requireValidApplication(
  application: Application,
  before: Application | undefined,
  tenant: Tenant,
  committed: Directory,
  body: unknown,
): void {
  // Sizes first: the other rules look at every entry.
  requireNoIssues([...judgeSize(application), ...judgePermissionCount(application)], body)
  requireNoIssues(
    [
      ...judgeAppRoles(application.appRoles).map(under('appRoles')),
      ...judgeAppRoleChange(before?.appRoles ?? [], application.appRoles).map(under('appRoles')),
      ...judgeNewUris(application, before, tenant),
      ...judgeResources(application),
    ],
    body,
  )
  const known = new Set(before?.identifierUris)
  requireFree(
    application,
    application.identifierUris.filter((uri) => !known.has(uri)),
    committed,
  )
}

/** Names that are there already stay: the rules were others when they were given. */
function judgeNewUris(
  application: Application,
  before: Application | undefined,
  tenant: Tenant,
): ValidationIssue[] {
  const known = new Set(before?.identifierUris)
  return judgeIdentifierUris(application, tenant)
    .filter(({ code, path: [index] }) => {
      const uri = application.identifierUris[Number(index)]
      return code === 'duplicate_value' || !known.has(uri ?? '')
    })
    .map(under('identifierUris'))
}

const permissionFault = (message: string): ValidationIssue => ({
  code: 'invalid_value',
  path: ['requiredResourceAccess'],
  message,
})

function judgePermissionCount({ requiredResourceAccess }: Application): ValidationIssue[] {
  const permissions = requiredResourceAccess.reduce(
    (sum, { resourceAccess }) => sum + resourceAccess.length,
    0,
  )
  if (permissions <= maxPermissions) return []
  return [permissionFault(`must not hold more than ${maxPermissions} permissions`)]
}

function judgeResources({ requiredResourceAccess }: Application): ValidationIssue[] {
  const resources = new Set(requiredResourceAccess.map(({ resourceAppId }) => resourceAppId))
  if (resources.size === requiredResourceAccess.length) return []
  return [permissionFault('must name each resource only once')]
}

function judgeSize(application: Application): ValidationIssue[] {
  const entries = Object.values(application).reduce<number>(
    (sum, value) => sum + (Array.isArray(value) ? value.length : 0),
    0,
  )
  if (entries <= maxEntries) return []
  const message = `must not hold more than ${maxEntries} entries in all its collections together`
  return [{ code: 'invalid_value', path: [], message }]
}

/**
 * Requires that new names are free. A soft-deleted application keeps its own until it is purged, and an
 * application of another tenant has its names wherever it has a service principal.
 */
function requireFree(
  { id, tenantId }: Application,
  added: readonly string[],
  directory: Directory,
): void {
  if (added.length === 0) return
  const wanted = new Set(added.map(caseless))
  const known = [...directory.servicePrincipalsOf(tenantId)].map(({ appId }) =>
    directory.applicationByAppId(appId),
  )
  for (const other of [...directory.applicationsOf(tenantId), ...known])
    if (other !== undefined && other.id !== id)
      if (other.identifierUris.some((uri) => wanted.has(caseless(uri))))
        throw refuse('identifier_uri_taken')
}

const under =
  (property: string) =>
  (fault: ValidationIssue): ValidationIssue => ({ ...fault, path: [property, ...fault.path] })
