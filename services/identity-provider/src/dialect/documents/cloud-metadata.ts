/**
 * The cloud metadata that infrastructure tools request: the address of tokens and the name of
 * Microsoft Graph. Features that this server lacks are omitted.
 */
export const cloudMetadata = (authUrl: string): object => ({
  name: 'Greeting',
  authentication: {
    loginEndpoint: authUrl,
    audiences: ['https://management.core.windows.net/', 'https://management.azure.com/'],
    tenant: 'common',
    identityProvider: 'AAD',
  },
  graphAudience: 'https://graph.windows.net/',
  graph: 'https://graph.windows.net/',
  resourceManager: `${authUrl}/`,
  microsoftGraphResourceId: 'https://graph.microsoft.com/',
  suffixes: {},
})
