import { madeTime, timeText } from '../exact-time.ts'
import type { PropertyTable } from '../properties/property.ts'
import type { Runtime } from '../runtime.ts'
import type { ServicePrincipal } from './service-principal.ts'

/** The result of admin consent: a principal has a role of a resource. */
export type AppRoleAssignment = {
  /** 43 characters in base64url, with case. */
  readonly id: string
  readonly tenantId: string
  /** The object ID of the client's service principal. */
  readonly principalId: string
  /** The object ID of the API's service principal. */
  readonly resourceId: string
  /** The ID of a role of this API, or the empty GUID for access without a role. */
  readonly appRoleId: string
  readonly createdDateTime: Date
}

/** Creates the assignment of one role of a resource to a client. */
export const newAppRoleAssignment = (
  client: ServicePrincipal,
  resource: ServicePrincipal,
  appRoleId: string,
  source: Runtime,
): AppRoleAssignment => ({
  id: Buffer.from(source.randomBytes(32)).toString('base64url'),
  tenantId: client.tenantId,
  principalId: client.id,
  resourceId: resource.id,
  appRoleId,
  createdDateTime: source.now(),
})

/**
 * The properties of an app role assignment, which are the same from both sides.
 *
 * @see https://learn.microsoft.com/graph/api/resources/approleassignment
 */
export const appRoleAssignmentProperties: PropertyTable<
  AppRoleAssignment,
  { servicePrincipal(id: string): ServicePrincipal | undefined }
> = {
  id: { column: ['id'] },
  tenantId: { column: ['tenant_id'], show: false },
  deletedDateTime: { fixed: null, type: 'Edm.DateTimeOffset' },
  appRoleId: { column: ['app_role_id'], type: 'Edm.Guid', filter: 'value', index: 'appRoleId' },
  createdDateTime: {
    column: ['created_at', 'time'],
    show: ({ createdDateTime, id }) => timeText(madeTime(createdDateTime, id)),
  },
  principalDisplayName: {
    show: ({ principalId }, { directory }) =>
      directory.servicePrincipal(principalId)?.displayName ?? null,
  },
  principalId: {
    column: ['principal_id'],
    type: 'Edm.Guid',
    filter: 'value',
    index: 'principalId',
  },
  principalType: { fixed: 'ServicePrincipal' },
  resourceDisplayName: {
    show: ({ resourceId }, { directory }) =>
      directory.servicePrincipal(resourceId)?.displayName ?? null,
  },
  resourceId: { column: ['resource_id'], type: 'Edm.Guid', filter: 'value', index: 'resourceId' },
}
