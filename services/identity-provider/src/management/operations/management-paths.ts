/** The path of Microsoft Graph. Microsoft's SDKs add it themselves. */
export const graphPath = '/v1.0'

/** The paths of both versions of Microsoft Graph, which have the same operations here. */
export const graphPaths = [graphPath, '/beta'] as const

export const serverManagementPath = '/management'

/** The lists of Azure Resource Manager that a login reads. */
export const subscriptionsPath = '/subscriptions'
export const tenantsPath = '/tenants'
