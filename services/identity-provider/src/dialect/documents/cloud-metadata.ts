/** The version of the document that is a list of clouds. */
const listVersion = '2019-05-01'

/**
 * The cloud metadata that infrastructure tools request. Microsoft Graph, the authority and the
 * resource manager are all at the origin of this server, so a tool that follows it stays here.
 * Features that this server lacks are omitted.
 *
 * @param apiVersion the query parameter `api-version`; decides the form of the document
 */
export function cloudMetadata(authUrl: string, apiVersion: string | undefined): object {
  const origin = `${authUrl}/`
  const cloud = {
    name: 'Greeting',
    authentication: {
      loginEndpoint: authUrl,
      audiences: ['https://management.core.windows.net/', 'https://management.azure.com/'],
      tenant: 'common',
      identityProvider: 'AAD',
    },
    graphAudience: origin,
    graph: origin,
    resourceManager: origin,
    microsoftGraphResourceId: origin,
    suffixes: {},
  }
  return apiVersion === listVersion ? [cloud] : cloud
}
