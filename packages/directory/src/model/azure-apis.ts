import { createHash } from 'node:crypto'
import { type Application, newApplication } from './application/application.ts'
import { ownerTenantId } from './privileged-api-ids.ts'
import { systemRuntime } from './runtime.ts'
import {
  newServicePrincipal,
  type ServicePrincipal,
} from './service-principal/service-principal.ts'

/** The APIs of Azure: application ID, display name and names. A star stands for an account (entra E354). */
const table = `
e406a681-f3d4-42a8-90b6-c2b029497af1 | Azure Storage | https://storage.azure.com https://*.blob.core.windows.net https://*.queue.core.windows.net https://*.table.core.windows.net https://*.file.core.windows.net https://*.dfs.core.windows.net
cfa8b339-82a2-471a-a3c9-0fc0be7a4093 | Azure Key Vault | https://vault.azure.net
35ffadb3-7fc1-497e-b61b-381d28e744cc | Azure App Configuration | https://azconfig.io https://appconfig.azure.com https://*.azconfig.io
80a10ef9-8168-493d-abf9-3297c4ef6e3c | Microsoft.ServiceBus | https://servicebus.azure.net
80369ed6-5f11-4dd9-bef3-692475845e77 | Microsoft.EventHubs | https://eventhubs.azure.net
a232010e-820c-4083-83bb-3ace5fc29d0b | Azure Cosmos DB | https://cosmos.azure.com https://*.documents.azure.com
022907d3-0f1b-48f7-badc-1ba6abab6d66 | Azure SQL Database | https://database.windows.net
123cd850-d9df-40bd-94d5-c9f07b7fa203 | Azure OSSRDBMS Database | https://ossrdbms-aad.database.windows.net
823c0a78-5de0-4445-a7f5-c2f42d7dc89b | EventGrid Data API | https://eventgrid.azure.net
4962773b-9cdb-44cf-a8bf-237846a00ab7 | Microsoft.EventGrid |
e933bd07-d2ee-4f1d-933c-3752b819567b | Azure Monitor Control Service | https://monitor.azure.com
76c92352-c057-4cc2-9b1e-f34c32bc58bd | Azure Container Registry Application | https://containerregistry.azure.net
6a0ec4d3-30cb-4a83-91c0-ae56bc0e3d26 | Azure Container Registry |
2ff814a6-3304-4ab8-85cb-cd0e6f879c1d | AzureDatabricks |
2746ea77-4702-4b45-80ca-3c97e680e8b7 | Azure Data Explorer | https://kusto.kusto.windows.net https://api.kusto.io https://*.kusto.windows.net`

const epoch = new Date(0)
const shared = { createdDateTime: epoch, signInAudience: 'AzureADMultipleOrgs' } as const
const rows = [...table.matchAll(/^(\S+) \| ([^|]+) \|(.*)$/gm)].map(
  ([, appId = '', displayName = '', names = '']) => {
    const uris = names.split(' ').filter((name) => name !== '')
    const identifierUris = uris.filter((uri) => !uri.includes('*'))
    const parts = { id: appId, appId, displayName, identifierUris, tenantId: ownerTenantId }
    return {
      application: newApplication({ ...shared, ...parts }),
      domains: uris.filter((uri) => uri.includes('*')).map((uri) => uri.slice('https://*'.length)),
    }
  },
)

/** The API of Azure with an application ID, a name or an account, in any case, with or without a slash. */
export function azureApi(name: string): Application | undefined {
  const bare = name.toLowerCase().replace(/\/$/, '')
  const [, host = ''] = /^https:\/\/([a-z0-9][a-z0-9.-]*)$/.exec(bare) ?? []
  return rows.find(
    ({ application: { appId, identifierUris }, domains }) =>
      appId === bare || identifierUris.includes(bare) || domains.some((one) => host.endsWith(one)),
  )?.application
}

/**
 * The service principal of an API of Azure in a tenant, by its application ID. It exists in every tenant,
 * is not stored, and never changes.
 */
export function azurePrincipal(tenantId: string, appId: string): ServicePrincipal | undefined {
  const application = azureApi(appId)
  if (application === undefined) return undefined
  const hash = createHash('sha256').update(`${tenantId} ${application.appId}`).digest('hex')
  const id = hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
  const principal = newServicePrincipal(tenantId, application, systemRuntime)
  return { ...principal, id, createdDateTime: epoch }
}

/** The service principals of all APIs of Azure in a tenant. */
export const azurePrincipals = (tenantId: string): ServicePrincipal[] =>
  rows.flatMap(({ application }) => azurePrincipal(tenantId, application.appId) ?? [])
