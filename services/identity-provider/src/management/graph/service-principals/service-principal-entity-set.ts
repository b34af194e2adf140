import type { ServicePrincipal } from '../../../directory/service-principal.ts'
import type { EntitySet, EntityView } from '../../odata/entity-set.ts'
import { appRoleJson } from '../applications/app-role-json.ts'

const applicationOf = ({ appId }: ServicePrincipal, { directory }: EntityView) =>
  directory.applicationByAppId(appId)

/**
 * The service principals of Microsoft Graph. Some properties are read from their application.
 *
 * @see https://learn.microsoft.com/graph/api/resources/serviceprincipal
 */
export const servicePrincipals: EntitySet<ServicePrincipal> = {
  name: 'servicePrincipals',
  type: 'servicePrincipal',
  keyOf: ({ id }) => id,
  revisionOf: ({ id }, { directory }) => directory.revisionOf('servicePrincipal', id),
  filterable: {
    id: 'value',
    appId: 'value',
    displayName: 'value',
    createdDateTime: 'time',
    accountEnabled: 'value',
    appOwnerOrganizationId: 'value',
    servicePrincipalType: 'value',
    servicePrincipalNames: 'collection',
  },
  startsWith: ['displayName', 'appId', 'servicePrincipalNames'],
  searchable: ['displayName'],
  orders: { displayName: 'displayName', createdDateTime: 'createdDateTime' },
  indexes: {
    id: 'id',
    appId: 'appId',
    displayName: 'displayName',
    servicePrincipalNames: 'name',
  },
  properties: {
    id: ({ id }) => id,
    deletedDateTime: ({ deletedDateTime }) => deletedDateTime?.toISOString() ?? null,
    accountEnabled: ({ accountEnabled }) => accountEnabled,
    appDisplayName: (one, view) => applicationOf(one, view)?.displayName ?? one.displayName,
    appId: ({ appId }) => appId,
    appOwnerOrganizationId: (one, view) => applicationOf(one, view)?.tenantId ?? null,
    appRoleAssignmentRequired: (one) => one.appRoleAssignmentRequired,
    appRoles: (one, view) => (applicationOf(one, view)?.appRoles ?? []).map(appRoleJson),
    createdDateTime: ({ createdDateTime }) => createdDateTime.toISOString(),
    displayName: ({ displayName }) => displayName,
    servicePrincipalNames: (one, view) => [
      one.appId,
      ...(applicationOf(one, view)?.identifierUris ?? []),
    ],
    servicePrincipalType: () => 'Application',
    signInAudience: (one, view) => applicationOf(one, view)?.signInAudience ?? null,
    alternativeNames: () => [],
    keyCredentials: () => [],
    oauth2PermissionScopes: () => [],
    passwordCredentials: () => [],
    tags: () => [],
  },
}
