import type { Application } from './application.ts'
import type { Runtime } from './runtime.ts'
import type { ServicePrincipal } from './service-principal.ts'

/** What an application becomes in a tenant that has not known it. */
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
})
