import {
  type Application,
  type AppRole,
  graphAppId,
  newApplication,
  ownerTenantId,
  resourceManagerAppId,
  serverManagementAppId,
  tokenExchangeAppId,
  tokenExchangeUri,
} from '@greeting/directory'
import { graphRoles } from './graph-roles.ts'
import { serverRoles } from './server-roles.ts'

export const graphUri = 'https://graph.microsoft.com'
export const serverManagementUri = `api://${serverManagementAppId}`

/** The names under which logins of Azure tools request a token first. */
export const resourceManagerUris = [
  'https://management.core.windows.net/',
  'https://management.azure.com/',
] as const

type RoleTable = Readonly<
  Record<
    string,
    { readonly id: string; readonly displayName: string; readonly description: string }
  >
>

/**
 * The applications of the two management APIs. They are the same on every server.
 *
 * @param createdDateTime the time of the first start
 */
const privilegedApis = (createdDateTime: Date): readonly Application[] => [
  builtInApi({
    id: '3e8c5f17-92ad-4b06-8d3e-71c40a6b9f25',
    appId: graphAppId,
    displayName: 'Microsoft Graph',
    createdDateTime,
    signInAudience: 'AzureADMultipleOrgs',
    identifierUris: [graphUri],
    appRoles: appRoles(graphRoles),
    inertProperties: { api: { oauth2PermissionScopes: graphScopes } },
  }),
  builtInApi({
    id: 'c1b7d094-6e2f-4a83-b5c8-0d9e3f7a1264',
    appId: serverManagementAppId,
    displayName: 'Greeting Management',
    createdDateTime,
    identifierUris: [serverManagementUri],
    appRoles: appRoles(serverRoles),
  }),
]

/** All applications that exist on every server: the management APIs, and two without roles. */
export const builtInApis = (createdDateTime: Date): readonly Application[] => [
  ...privilegedApis(createdDateTime),
  builtInApi({
    id: '5d2f0b63-71ce-4d9a-a8f4-3e90b6c1d752',
    appId: resourceManagerAppId,
    displayName: 'Windows Azure Service Management API',
    createdDateTime,
    signInAudience: 'AzureADMultipleOrgs',
    identifierUris: resourceManagerUris,
    optionalAccessTokenClaims: requests('idtyp', 'xms_act_fct', 'xms_idrel', 'xms_sub_fct'),
  }),
  builtInApi({
    id: 'a4c61d0e-58b7-4f3a-9c25-e07d13f8b964',
    appId: tokenExchangeAppId,
    displayName: 'AzureADTokenExchange',
    createdDateTime,
    signInAudience: 'AzureADMultipleOrgs',
    identifierUris: [tokenExchangeUri],
    requestedAccessTokenVersion: 2,
    optionalAccessTokenClaims: requests('idtyp'),
  }),
]

/** The built-in APIs that have a service principal in every tenant. The others have one in a single tenant. */
export const apisOfEveryTenant: ReadonlySet<string> = new Set([
  graphAppId,
  resourceManagerAppId,
  tokenExchangeAppId,
])

const requests = (...names: readonly string[]) =>
  names.map((name) => ({ name, additionalProperties: [] }))

const builtInApi = (
  properties: Omit<Parameters<typeof newApplication>[0], 'tenantId'>,
): Application =>
  newApplication({
    tenantId: ownerTenantId,
    requestedAccessTokenVersion: 1,
    passwordAuthenticationAllowed: false,
    ...properties,
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

/** Delegated permissions of Microsoft Graph with the IDs that they have in every tenant (entra E317). */
const rows: Readonly<Record<string, readonly [id: string, name: string, type?: 'Admin']>> = {
  openid: ['37f7f235-527c-4136-accd-4a02d197296e', 'Sign users in'],
  profile: ['14dad69e-099b-42c9-810b-d002981feec1', 'View the basic profile of users'],
  email: ['64a6cdd6-aab1-4aaf-94b8-3cc8405e90d0', 'View the email address of users'],
  offline_access: ['7427e0e9-2fba-42fe-b0c0-848c9e6a8182', 'Keep access to data'],
  'User.Read': ['e1fe6dd8-ba31-4d61-89e7-88639da4683d', 'Sign in and read user profile'],
  'User.ReadBasic.All': [
    'b340eb25-3456-403f-be2f-af7a0d370277',
    'Read basic profiles of all users',
  ],
  'User.Read.All': ['a154be20-db9c-4678-8ab7-66f6cc099a59', 'Read profiles of all users', 'Admin'],
  'Application.Read.All': ['c79f8feb-a9db-4090-85f9-90d820caa0eb', 'Read applications', 'Admin'],
  'Directory.Read.All': ['06da0dbc-49e2-44d2-8312-53f166ab848a', 'Read directory data', 'Admin'],
  'Group.Read.All': ['5f8c59db-677d-491f-a6b8-5f174b11ec1d', 'Read all groups', 'Admin'],
  'Mail.Read': ['570282fd-fa5c-430d-a7fd-fc8dc98a9dca', 'Read user mail'],
  'Mail.Send': ['e383f46e-2787-4529-855e-0e479a3ffac0', 'Send mail as a user'],
  'Calendars.Read': ['465a38f9-76ea-45b9-9f34-9e8b0d4b0b42', 'Read user calendars'],
  'Files.Read.All': ['df85f4d6-205c-4ac5-a5ea-6bf408dba283', 'Read files that a user can access'],
}

/** The delegated permissions that Microsoft Graph publishes, for lookups. They grant nothing here. */
const graphScopes = Object.entries(rows).map(([value, [id, displayName, type = 'User']]) => ({
  adminConsentDescription: `Allows the app, on behalf of the user: ${displayName}.`,
  adminConsentDisplayName: displayName,
  id,
  isEnabled: true,
  type,
  userConsentDescription: null,
  userConsentDisplayName: null,
  value,
}))
