import type { AppRoleAssignment } from '../../../directory/service-principal/app-role-assignment.ts'
import type { EntitySet } from '../../odata/entity-set.ts'

/**
 * The app role assignments of Microsoft Graph, the same from both sides.
 *
 * @see https://learn.microsoft.com/graph/api/resources/approleassignment
 */
export const appRoleAssignments: EntitySet<AppRoleAssignment> = {
  name: 'appRoleAssignments',
  type: 'appRoleAssignment',
  keyOf: ({ id }) => id,
  revisionOf: ({ id }, { directory }) => directory.revisionOf('appRoleAssignment', id),
  filterable: { appRoleId: 'value', principalId: 'value', resourceId: 'value' },
  indexes: { appRoleId: 'appRoleId', principalId: 'principalId', resourceId: 'resourceId' },
  properties: {
    id: ({ id }) => id,
    deletedDateTime: () => null,
    appRoleId: ({ appRoleId }) => appRoleId,
    createdDateTime: ({ createdDateTime }) => createdDateTime.toISOString(),
    principalDisplayName: ({ principalId }, { directory }) =>
      directory.servicePrincipal(principalId)?.displayName ?? null,
    principalId: ({ principalId }) => principalId,
    principalType: () => 'ServicePrincipal',
    resourceDisplayName: ({ resourceId }, { directory }) =>
      directory.servicePrincipal(resourceId)?.displayName ?? null,
    resourceId: ({ resourceId }) => resourceId,
  },
}
