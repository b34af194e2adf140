import type { AppRole } from '../directory/app-role.ts'
import type { Application } from '../directory/application.ts'
import { newApplication } from '../directory/new-application.ts'
import { graphRoles } from './graph-roles.ts'
import { managementRoles } from './management-roles.ts'

/**
 * The tenant that owns the APIs which are there from the start: the one that owns Microsoft's own in
 * Entra ID. It has no tenant object here, so that nobody can be administrator of it, and no
 * administrator can change what the management roles are.
 */
const ownerTenantId = 'f8cdef31-a31e-4b4a-93e4-5f571e91255a'

/** Microsoft Graph, under the application id that it has everywhere. */
export const graphAppId = '00000003-0000-0000-c000-000000000000'

/** What administers the server itself: its keys, its tenants, its audit. */
export const managementAppId = '9f6d2a41-3b58-4c7e-8a10-5e2d7c94b3f6'

/** The names under which tokens for them are asked for. */
export const graphUri = 'https://graph.microsoft.com'
export const managementUri = `api://${managementAppId}`

/** The APIs whose roles are power over the directory. */
export const managementApiAppIds: readonly string[] = [graphAppId, managementAppId]

type RoleTable = Readonly<
  Record<
    string,
    { readonly id: string; readonly displayName: string; readonly description: string }
  >
>

/**
 * The applications behind the management APIs, the same on every server.
 *
 * @param createdDateTime When the server saw the light.
 */
export const managementApplications = (createdDateTime: Date): readonly Application[] => [
  managementApi({
    id: '3e8c5f17-92ad-4b06-8d3e-71c40a6b9f25',
    appId: graphAppId,
    displayName: 'Microsoft Graph',
    createdDateTime,
    signInAudience: 'AzureADMultipleOrgs',
    identifierUris: [graphUri],
    appRoles: appRoles(graphRoles),
  }),
  managementApi({
    id: 'c1b7d094-6e2f-4a83-b5c8-0d9e3f7a1264',
    appId: managementAppId,
    displayName: 'Greeting Management',
    createdDateTime,
    identifierUris: [managementUri],
    appRoles: appRoles(managementRoles),
  }),
]

const managementApi = (
  given: Omit<Parameters<typeof newApplication>[0], 'tenantId'>,
): Application =>
  newApplication({
    tenantId: ownerTenantId,
    requestedAccessTokenVersion: 1,
    passwordAuthenticationAllowed: false,
    ...given,
  })

const appRoles = (table: RoleTable): AppRole[] =>
  Object.entries(table).map(([value, { id, displayName, description }]) => ({
    id,
    allowedMemberTypes: ['Application'],
    description,
    displayName,
    isEnabled: true,
    value,
  }))
