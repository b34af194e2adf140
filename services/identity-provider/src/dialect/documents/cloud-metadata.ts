/**
 * What infrastructure tools ask a cloud about itself: here only where to get tokens, and the name of
 * Microsoft Graph. What this server does not have is left out.
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
