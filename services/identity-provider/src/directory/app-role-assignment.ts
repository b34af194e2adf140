import type { Runtime } from './runtime.ts'
import type { ServicePrincipal } from './service-principal.ts'

/** The result of consent: a principal has a role of a resource. */
export type AppRoleAssignment = {
  /** 43 characters, base64url. Case matters. */
  readonly id: string
  readonly tenantId: string
  /** The object id of the client's service principal. */
  readonly principalId: string
  /** The object id of the API's service principal. */
  readonly resourceId: string
  /** The id of a role of that API, or the empty GUID for access without a role. */
  readonly appRoleId: string
  readonly createdDateTime: Date
}

/** Makes the assignment of one role of a resource to a client. */
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
