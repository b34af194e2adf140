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
import { graphScopes } from './graph-scopes.ts'
import { serverRoles } from './server-roles.ts'

/** The identifier URI of Microsoft Graph. */
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
