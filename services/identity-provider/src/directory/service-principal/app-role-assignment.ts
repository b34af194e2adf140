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
