import type { Application } from '../application/application.ts'
import type { Runtime } from '../runtime.ts'
import type { ServicePrincipal } from './service-principal.ts'

/** Creates the service principal of an application in a tenant. */
export const newServicePrincipal = (
  tenantId: string,
  { appId, displayName }: Pick<Application, 'appId' | 'displayName'>,
  source: Runtime,
): ServicePrincipal => ({
  id: source.newGuid(),
  tenantId,
  appId,
  displayName,
  createdDateTime: source.now(),
  deletedDateTime: null,
  accountEnabled: true,
  appRoleAssignmentRequired: false,
  passwordCredentials: [],
  keyCredentials: [],
  delegatedConsents: [],
  ownerIds: [],
  description: {},
})
