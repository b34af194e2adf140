/**
 * The tenant that owns the management APIs, with the ID of Microsoft's own tenant in Entra ID. It has no
 * tenant object, because its administrator could change the management roles.
 */
export const ownerTenantId = 'f8cdef31-a31e-4b4a-93e4-5f571e91255a'

/** The application ID of Microsoft Graph, the same in every tenant. */
export const graphAppId = '00000003-0000-0000-c000-000000000000'

/** The API that administers the server: its keys, its tenants and its logs. */
export const serverManagementAppId = '9f6d2a41-3b58-4c7e-8a10-5e2d7c94b3f6'

/** The APIs whose roles administer the directory and the server. */
export const privilegedApiAppIds: readonly string[] = [graphAppId, serverManagementAppId]

/** The application ID of Azure Resource Manager, the same in every tenant. It declares no roles. */
export const resourceManagerAppId = '797f4846-ba00-4fd7-ba43-dac1f8f63013'

/** The application ID of the API whose tokens are credentials. It is `aud` of these tokens (entra E183). */
export const tokenExchangeAppId = 'fb60f99c-7a34-4190-8149-302f77469936'

/** The name of the token exchange API in token requests and federated identity credentials. */
export const tokenExchangeUri = 'api://AzureADTokenExchange'

/** The APIs that the server itself creates. No request changes them. */
export const builtInApiAppIds: readonly string[] = [
  ...privilegedApiAppIds,
  resourceManagerAppId,
  tokenExchangeAppId,
]
