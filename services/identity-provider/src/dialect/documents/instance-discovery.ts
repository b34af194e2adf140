import { type Refused, type RequestRefusal, refuse } from '../../refusals/refusal.ts'

type Cloud = {
  readonly preferred_network: string
  readonly preferred_cache: string
  readonly aliases: readonly string[]
}

const cloud = (name: string, cache: string, ...others: string[]): Cloud => ({
  preferred_network: name,
  preferred_cache: cache,
  aliases: [name, ...others],
})

/** The clouds that clients know by name. The first is the public one, to which this server belongs. */
const clouds: readonly [Cloud, ...Cloud[]] = [
  cloud(
    'login.microsoftonline.com',
    'login.windows.net',
    'login.windows.net',
    'login.microsoft.com',
    'sts.windows.net',
  ),
  cloud(
    'login.partner.microsoftonline.cn',
    'login.partner.microsoftonline.cn',
    'login.chinacloudapi.cn',
  ),
  cloud('login.microsoftonline.de', 'login.microsoftonline.de'),
  cloud('login.microsoftonline.us', 'login.microsoftonline.us', 'login.usgovcloudapi.net'),
  cloud('login-us.microsoftonline.com', 'login-us.microsoftonline.com'),
]

const v2Authorize = '/oauth2/v2.0/authorize'

/**
 * Finds the discovery document of an authority, and the host names of its cloud.
 *
 * @param ownHosts the hosts of this server, with port
 * @returns the document, or a refusal: `instance_api_version_unsupported`,
 *   `instance_parameters_invalid`, `instance_not_https` or `instance_unknown`
 */
export function instanceDiscovery(
  query: URLSearchParams,
  ownHosts: readonly string[],
): object | Refused<RequestRefusal> {
  const version = query.get('api-version')
  if (version !== '1.0' && version !== '1.1')
    return refuse({ reason: 'instance_api_version_unsupported' })
  const authorize = query.get('authorization_endpoint')
  const issuer = query.get('issuer')
  if ((authorize === null) === (issuer === null))
    return refuse({ reason: 'instance_parameters_invalid' })
  const url = URL.parse(authorize ?? issuer ?? '')
  if (url === null || url.protocol !== 'https:') return refuse({ reason: 'instance_not_https' })
  const isKnown = [...clouds.flatMap(({ aliases }) => aliases), ...ownHosts].includes(url.host)
  if (!isKnown) return refuse({ reason: 'instance_unknown' })

  const tenant_discovery_endpoint = `${url.origin}${authorityPath(url.pathname)}`
  if (version === '1.0') return { tenant_discovery_endpoint }
  const own = ownHosts.map((host) => cloud(host, host))
  return { tenant_discovery_endpoint, 'api-version': version, metadata: [...clouds, ...own] }
}

function authorityPath(path: string): string {
  const document = '/.well-known/openid-configuration'
  if (path.endsWith(v2Authorize)) return `${path.slice(0, -v2Authorize.length)}/v2.0${document}`
  return `${path.replace(/\/oauth2\/authorize$/, '').replace(/\/$/, '')}${document}`
}

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
