/**
 * The tenant that owns the management APIs: the one that owns Microsoft's own in Entra ID. It never
 * has a tenant object, because its administrator could change what the management roles are.
 */
export const ownerTenantId = 'f8cdef31-a31e-4b4a-93e4-5f571e91255a'

/** Microsoft Graph, under the application id that it has everywhere. */
export const graphAppId = '00000003-0000-0000-c000-000000000000'

/** The API that administers the server itself: its keys, its tenants, its audit. */
export const serverManagementAppId = '9f6d2a41-3b58-4c7e-8a10-5e2d7c94b3f6'

/** The APIs whose roles are authority over the directory and the server. */
export const privilegedApiAppIds: readonly string[] = [graphAppId, serverManagementAppId]
