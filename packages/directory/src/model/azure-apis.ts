import { createHash } from 'node:crypto'
import { type Application, newApplication } from './application/application.ts'
import { ownerTenantId } from './privileged-api-ids.ts'
import { systemRuntime } from './runtime.ts'
import {
  newServicePrincipal,
  type ServicePrincipal,
} from './service-principal/service-principal.ts'

/**
 * The APIs of Azure: application ID, display name, names, and the source of each. A star stands for an account
 * (entra E354). Tokens have version 1.0, and the requested name as `aud`, with or without its slash. A published
 * token shows it where a row has `aud`. The list is maciejporebski/azure-ad-first-party-apps-permissions, by year.
 */
const table = `
e406a681-f3d4-42a8-90b6-c2b029497af1 | Azure Storage | https://storage.azure.com https://*.blob.core.windows.net https://*.queue.core.windows.net https://*.table.core.windows.net https://*.file.core.windows.net https://*.dfs.core.windows.net | list 2025; accounts: Microsoft Learn, authorize-access-azure-active-directory and authorize-oauth-rest, 2024; table and dfs without evidence; aud 2019
cfa8b339-82a2-471a-a3c9-0fc0be7a4093 | Azure Key Vault | https://vault.azure.net | list 2025; aud 2022
35ffadb3-7fc1-497e-b61b-381d28e744cc | Azure App Configuration | https://azconfig.io https://appconfig.azure.com https://*.azconfig.io | list 2026; stores: Azure SDKs, 2022
80a10ef9-8168-493d-abf9-3297c4ef6e3c | Microsoft.ServiceBus | https://servicebus.azure.net | list 2025
80369ed6-5f11-4dd9-bef3-692475845e77 | Microsoft.EventHubs | https://eventhubs.azure.net https://*.servicebus.windows.net | list 2025; namespaces: azure-docs issue 50406, 2020
a232010e-820c-4083-83bb-3ace5fc29d0b | Azure Cosmos DB | https://cosmos.azure.com https://*.documents.azure.com | list 2023, without names; names: Azure SDK for Rust, 2025; that they are those of this ID is without evidence
022907d3-0f1b-48f7-badc-1ba6abab6d66 | Azure SQL Database | https://database.windows.net/ https://database.usgovcloudapi.net/ https://sql.azuresynapse.net/ | list 2025
123cd850-d9df-40bd-94d5-c9f07b7fa203 | Azure OSSRDBMS Database | https://ossrdbms-aad.database.windows.net | list 2025; aud 2024, with and without a slash: azure-sdk-for-java issue 42632
823c0a78-5de0-4445-a7f5-c2f42d7dc89b | EventGrid Data API | https://eventgrid.azure.net | list 2025
4962773b-9cdb-44cf-a8bf-237846a00ab7 | Microsoft.EventGrid | | azure-docs, secure-webhook-delivery, 2022
e933bd07-d2ee-4f1d-933c-3752b819567b | Azure Monitor Control Service | https://monitor.azure.com/ | list 2025; aud 2024, with a slash
76c92352-c057-4cc2-9b1e-f34c32bc58bd | Azure Container Registry Application | https://containerregistry.azure.net | list 2026
6a0ec4d3-30cb-4a83-91c0-ae56bc0e3d26 | Azure Container Registry | | list 2023
2ff814a6-3304-4ab8-85cb-cd0e6f879c1d | AzureDatabricks | https://azuredatabricks.net/ | list 2025; aud 2020
2746ea77-4702-4b45-80ca-3c97e680e8b7 | KustoService | https://kusto.aria.microsoft.com/ https://kusto.kusto.windows.net https://*.kusto.windows.net | list 2025, with the first name only; the others: Kusto SDKs, without evidence of Entra`

const epoch = new Date(0)
const shared = { createdDateTime: epoch, signInAudience: 'AzureADMultipleOrgs' } as const
const rows = [...table.matchAll(/^(\S+) \| ([^|]+) \|([^|]*)\|/gm)].map(
  ([, appId = '', displayName = '', names = '']) => {
    const identifierUris = names.match(/https:\/\/[^* ]+/g) ?? []
    const parts = { id: appId, appId, displayName, identifierUris, tenantId: ownerTenantId }
    const application = newApplication({ ...shared, ...parts })
    return { application, domains: names.match(/(?<=\*)\S+/g) ?? [] }
  },
)

/** Finds an Azure API by application ID, name or account, in any case, with or without a trailing slash. */
export function azureApi(name: string): Application | undefined {
  const bare = name.toLowerCase().replace(/\/$/, '')
  const [, host = ''] = /^https:\/\/([a-z0-9][a-z0-9.-]*)$/.exec(bare) ?? []
  return rows.find(
    ({ application: { appId, identifierUris }, domains }) =>
      appId === bare ||
      identifierUris.some((uri) => uri.replace(/\/$/, '') === bare) ||
      domains.some((one) => host.endsWith(one)),
  )?.application
}

/**
 * The service principal of an Azure API in a tenant, by application ID. It exists in every tenant,
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

export const azurePrincipals = (tenantId: string): ServicePrincipal[] =>
  rows.flatMap(({ application }) => azurePrincipal(tenantId, application.appId) ?? [])
