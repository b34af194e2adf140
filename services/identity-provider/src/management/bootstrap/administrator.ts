import {
  type Application,
  createPassword,
  type DirectoryChange,
  newApplication,
  newAppRoleAssignment,
  newServicePrincipal,
  put,
  type Runtime,
  type ServicePrincipal,
} from '@greeting/directory'

/** The client credentials of an administrator application. */
export type Administrator = {
  readonly tenantId: string
  readonly clientId: string
  readonly clientSecret: string
}

/** An API with its service principal in a tenant. */
export type ApiInTenant = {
  readonly application: Application
  readonly principal: ServicePrincipal
}

/** Creates an administrator of a tenant: an application with one secret and all roles of these APIs. */
export function createAdministrator(
  tenantId: string,
  apis: readonly ApiInTenant[],
  runtime: Runtime,
): { readonly changes: readonly DirectoryChange[]; readonly administrator: Administrator } {
  const { credential, secretText } = createPassword({ displayName: 'First secret' }, runtime)
  const application = newApplication({
    id: runtime.newGuid(),
    tenantId,
    appId: runtime.newGuid(),
    displayName: 'Administrator',
    createdDateTime: runtime.now(),
    requiredResourceAccess: apis
      .filter(({ application: { appRoles } }) => appRoles.length > 0)
      .map(({ application: { appId, appRoles } }) => ({
        resourceAppId: appId,
        resourceAccess: appRoles.map(({ id }) => ({ id, type: 'Role' })),
      })),
    passwordCredentials: [credential],
  })
  const client = newServicePrincipal(tenantId, application, runtime)
  const assignments = apis.flatMap((api) =>
    api.application.appRoles.map(({ id }) =>
      newAppRoleAssignment(client, api.principal, id, runtime),
    ),
  )
  return {
    changes: [
      put('application', application),
      put('servicePrincipal', client),
      ...assignments.map((assignment) => put('appRoleAssignment', assignment)),
    ],
    administrator: { tenantId, clientId: application.appId, clientSecret: secretText },
  }
}
