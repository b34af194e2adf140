import { shownProperties } from '../../../directory/properties/property.ts'
import {
  type AppRoleAssignment,
  appRoleAssignmentProperties,
} from '../../../directory/service-principal/app-role-assignment.ts'
import type { EntitySet } from '../../odata/entity-set.ts'

/** The app role assignments of Microsoft Graph. */
export const appRoleAssignments: EntitySet<AppRoleAssignment> = {
  name: 'appRoleAssignments',
  type: 'appRoleAssignment',
  keyOf: ({ id }) => id,
  revisionOf: ({ id }, { directory }) => directory.revisionOf('appRoleAssignment', id),
  properties: shownProperties(appRoleAssignmentProperties),
}
