import {
  type Application,
  type Directory,
  entriesIn,
  judgeAppRoleChange,
  judgeAppRoles,
  judgeIdentifierUris,
  ownerTenantId,
  scopesOf,
  type ValidationIssue,
} from '@greeting/directory'
import { maxEntries, maxPermissions } from '@greeting/directory/forms'
import { requireNoIssues } from '../../body/parse-body.ts'
import { refuse } from '../../refusals/graph-error.ts'

/**
 * Requires that the new state of an application follows all rules of the directory.
 *
 * @param before the current state; `undefined` for a new application
 * @param body the source of quoted values
 * @throws {GraphError} graph_refusal body_invalid, enabled_role_changed, identifier_uri_taken.
 */
export function requireValidApplication(
  application: Application,
  before: Application | undefined,
  committed: Directory,
  body: unknown,
): void {
  const newUris = new Set(application.identifierUris)
  for (const uri of before?.identifierUris ?? []) newUris.delete(uri)
  requireNoIssues(applicationIssues(application, before, newUris), body)
  requireBlueprint(application)
  requireFreeUris(application, newUris, committed)
}

/** All issues of an application by itself. */
function applicationIssues(
  application: Application,
  before: Application | undefined,
  newUris: ReadonlySet<string>,
): ValidationIssue[] {
  // The other rules examine every entry, so they do not run above these limits.
  const sizeIssues = [...entryCountIssues(application), ...permissionCountIssues(application)]
  if (sizeIssues.length > 0) return sizeIssues
  // The rules were different when older names were accepted, so these stay valid.
  const uriIssues = judgeIdentifierUris(application.identifierUris).filter(
    ({ code, path: [index] }) =>
      code === 'duplicate_value' || newUris.has(application.identifierUris[Number(index)] ?? ''),
  )
  return [
    ...judgeAppRoles(application.appRoles).map(under('appRoles')),
    ...judgeAppRoleChange(before?.appRoles ?? [], application.appRoles).map(under('appRoles')),
    ...judgeScopeChange(before, application).map(under('api')),
    ...sharedPermissionIssues(before, application),
    ...uriIssues.map(under('identifierUris')),
    ...resourceIssues(application),
    ...tokenVersionIssues(application),
  ]
}

function entryCountIssues(application: Application): ValidationIssue[] {
  const entries = Object.values(application).reduce<number>(
    (sum, value) => sum + (Array.isArray(value) ? value.length : 0),
    entriesIn(application.inertProperties),
  )
  if (entries <= maxEntries) return []
  const message = `must not hold more than ${maxEntries} entries in all its collections together`
  return [{ code: 'invalid_value', path: [], message }]
}

/** As for app roles: an enabled scope is neither changed nor removed. */
function judgeScopeChange(
  before: Application | undefined,
  application: Application,
): ValidationIssue[] {
  const after = new Map(scopesOf(application).map((scope) => [scope.id, scope]))
  return scopesOf(before).flatMap((scope) => {
    const { isEnabled: _enabled, ...kept } = after.get(scope.id) ?? {}
    const { isEnabled, ...known } = scope
    const isChanged = JSON.stringify(kept) !== JSON.stringify(known)
    if (!isEnabled || !isChanged) return []
    return [
      {
        code: 'enabled_role',
        path: ['oauth2PermissionScopes', scope.id],
        message: 'must be disabled before it is changed or removed',
      },
    ]
  })
}

/** A role and a scope with one ID are one permission, and two permissions have two values (entra E346). */
function sharedPermissionIssues(
  before: Application | undefined,
  application: Application,
): ValidationIssue[] {
  const { appRoles, inertProperties } = application
  // The rule came later than some applications, and Microsoft Graph itself breaks it.
  const isKept = before?.appRoles === appRoles && before.inertProperties.api === inertProperties.api
  if (isKept || application.tenantId === ownerTenantId) return []
  const scopes = scopesOf(application)
  const texts = new Map(
    scopes.map(({ adminConsentDescription, adminConsentDisplayName, id, isEnabled, value }) => [
      id,
      JSON.stringify([value, isEnabled, adminConsentDescription, adminConsentDisplayName]),
    ]),
  )
  const values = new Set(scopes.map(({ value }) => value ?? undefined))
  return appRoles.flatMap((role, index): ValidationIssue[] => {
    const { id, value, isEnabled, description, displayName } = role
    const known = texts.get(id)
    if (known === JSON.stringify([value, isEnabled, description, displayName])) return []
    if (known) return [{ code: 'invalid_value', path: [], message: mustMatch(id) }]
    if (!values.has(value ?? '')) return []
    const message = 'contains duplicate value: a scope with another id has it'
    return [{ code: 'duplicate_value', path: ['appRoles', index, 'value'], message }]
  })
}

const mustMatch = (id: string) =>
  `the following values must match for the 'oauth2Permissions' and 'appRoles' properties with identifier '${id}': (description, adminConsentDescription),(displayName, adminConsentDisplayName),(isEnabled, isEnabled),(origin, origin),(value, value). Ensure that you are intending to have entries with the same identifier, and if so, are updating them together`

function permissionCountIssues({ requiredResourceAccess }: Application): ValidationIssue[] {
  const permissions = requiredResourceAccess.reduce(
    (sum, { resourceAccess }) => sum + resourceAccess.length,
    0,
  )
  if (permissions <= maxPermissions) return []
  return [permissionIssue(`must not hold more than ${maxPermissions} permissions`)]
}

function resourceIssues({ requiredResourceAccess }: Application): ValidationIssue[] {
  const resources = new Set(requiredResourceAccess.map(({ resourceAppId }) => resourceAppId))
  if (resources.size === requiredResourceAccess.length) return []
  return [permissionIssue('must name each resource only once')]
}

/** As in Entra ID: only tokens of version 2 serve personal accounts. */
function tokenVersionIssues({
  signInAudience,
  requestedAccessTokenVersion,
}: Application): ValidationIssue[] {
  const isWrong =
    signInAudience === 'AzureADandPersonalMicrosoftAccount' && requestedAccessTokenVersion !== 2
  if (!isWrong) return []
  const path = ['api', 'requestedAccessTokenVersion']
  const message = `must be 2 for the signInAudience ${signInAudience}`
  return [{ code: 'invalid_value', path, message }]
}

const permissionIssue = (message: string): ValidationIssue => ({
  code: 'invalid_value',
  path: ['requiredResourceAccess'],
  message,
})

const under =
  (property: string) =>
  (issue: ValidationIssue): ValidationIssue => ({ ...issue, path: [property, ...issue.path] })

/**
 * Requires that no other application has the new names. A soft-deleted application keeps its names until it is
 * purged. A tenant also knows the names of applications of other tenants that have a service principal in it.
 */
function requireFreeUris(
  { id, tenantId }: Application,
  newUris: ReadonlySet<string>,
  directory: Directory,
): void {
  for (const uri of newUris) {
    for (const other of directory.applicationsByIdentifierUri(uri)) {
      if (other.id !== id && isKnownIn(directory, tenantId, other))
        throw refuse('identifier_uri_taken')
    }
  }
}

/** Whether a tenant owns an application, or has a service principal of it. */
function isKnownIn(directory: Directory, tenantId: string, application: Application): boolean {
  if (application.tenantId === tenantId) return true
  if (application.deletedDateTime !== null) return false
  return directory
    .servicePrincipalsOfApplication(application.appId)
    .some((principal) => principal.tenantId === tenantId)
}

/** The properties of applications of users, which agents cannot have. */
const propertiesOfUsers = ['defaultRedirectUri', 'publicClient', 'spa', 'windows']

function requireBlueprint({ blueprint, inertProperties, isFallbackPublicClient }: Application) {
  if (blueprint === null) return
  const [name] = propertiesOfUsers.filter((property) => Object.hasOwn(inertProperties, property))
  const property = isFallbackPublicClient ? 'isFallbackPublicClient' : name
  if (property !== undefined) throw refuse('blueprint_property_incompatible', property)
}
