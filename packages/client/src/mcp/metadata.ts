import { ClientError } from '../errors.ts'
import { requestAttributes, type Trace } from '../hooks.ts'
import { isSecureUrl } from '../http/secure-url.ts'
import { readableMessage } from '../network-fault.ts'
import type { Runtime } from '../runtime.ts'
import { readBody, type TokenRequest } from '../token/token-endpoint.ts'
import { unreachableError } from '../token/token-errors.ts'

type Document = Readonly<Record<string, unknown>>

/** The parts of a server's `WWW-Authenticate` challenge that discovery uses. */
export type Challenge = { readonly scope?: string; readonly resourceMetadata?: string }

/** The token request for an MCP server, as far as its metadata describes it. */
export type Discovered = Pick<TokenRequest, 'tokenEndpoint' | 'metadata'> & {
  readonly resource: string
  /** All scopes that the server lists. */
  readonly scope?: string | undefined
}

/** Sends the requests of one discovery. */
export type MetadataContext = {
  readonly runtime: Runtime
  readonly trace: Trace
  readonly signal: AbortSignal
}

/** The server whose metadata is read. A failure has its code. */
const servers = {
  api: { title: 'MCP server', unusable: 'api_answer_invalid', unreachable: 'api_unreachable' },
  authority: {
    title: 'authorization server',
    unusable: 'authority_answer_invalid',
    unreachable: 'authority_unreachable',
  },
} as const
type Server = keyof typeof servers

const shown = (value: unknown) => readableMessage(String(value)).slice(0, 200)

function unusable(server: Server, reason: string): ClientError {
  const { title, unusable } = servers[server]
  return new ClientError(unusable, `The metadata of the ${title} cannot be used: ${reason}`, {})
}

/** Reads a challenge (RFC 9728 section 5.1, RFC 6750 section 3). */
export function readChallenge(headers: Headers): Challenge {
  const challenge = headers.get('www-authenticate') ?? ''
  const scope = /\bscope="([^"]{1,2000})"/.exec(challenge)?.[1]
  const resourceMetadata = /\bresource_metadata="([^"]{1,2000})"/.exec(challenge)?.[1]
  return { ...(scope && { scope }), ...(resourceMetadata && { resourceMetadata }) }
}

const pathOf = ({ pathname }: URL) => pathname.replace(/\/$/, '')
const wellKnown = ({ origin }: URL, name: string, path = '') =>
  new URL(`${origin}/.well-known/${name}${path}`)

/** Where the metadata of an MCP server may be. It never leads to another server. */
function resourceMetadataUrls(serverUrl: URL, { resourceMetadata }: Challenge): readonly URL[] {
  const name = 'oauth-protected-resource'
  if (resourceMetadata === undefined)
    return [wellKnown(serverUrl, name, pathOf(serverUrl)), wellKnown(serverUrl, name)]
  const url = URL.parse(resourceMetadata)
  if (url?.origin === serverUrl.origin) return [url]
  throw unusable('api', `its challenge names another server, ${shown(resourceMetadata)}`)
}

/** Where the metadata of an issuer may be, in the order of MCP. */
function issuerMetadataUrls(issuer: URL): readonly URL[] {
  const path = pathOf(issuer)
  return [
    wellKnown(issuer, 'oauth-authorization-server', path),
    wellKnown(issuer, 'openid-configuration', path),
    ...(path ? [new URL(`${issuer.origin}${path}/.well-known/openid-configuration`)] : []),
  ]
}

/** The first document that is there. A redirect is not followed, and a document has at most 64 KB. */
async function readDocument(
  server: Server,
  urls: readonly URL[],
  { runtime, trace, signal }: MetadataContext,
): Promise<Document> {
  let status = 0
  for (const url of urls) {
    const headers = new Headers({ accept: 'application/json' })
    const span = { name: 'GET', attributes: requestAttributes('GET', url, 1), headers }
    const body = await trace(span, async (setAttributes) => {
      const response = await runtime.fetch(url.href, { headers, signal, redirect: 'manual' })
      status = response.status
      setAttributes({ 'http.response.status_code': status })
      if (status === 200) return readBody(response)
      response.body?.cancel().catch(() => undefined)
      return undefined
    }).catch((error: unknown) => {
      throw unreachableError(error, [], 1, url, servers[server].unreachable)
    })
    if (body === undefined) continue
    if (typeof body !== 'string') throw unusable(server, body.message)
    return parsed(server, body)
  }
  throw unusable(server, `there is none (HTTP status ${status})`)
}

function parsed(server: Server, body: string): Document {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Document
  } catch {
    // The message of the parser repeats the document.
  }
  throw unusable(server, 'it is not a JSON object')
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

/** True if the resource is the URL of the server, or a path above it. */
function isResourceOf(resource: URL | null, serverUrl: URL): boolean {
  if (resource?.origin !== serverUrl.origin || resource.search || resource.hash) return false
  return `${pathOf(serverUrl)}/`.startsWith(`${pathOf(resource)}/`)
}

/**
 * Reads the metadata of an MCP server, then the metadata of the expected issuer. The server names
 * its issuers, and cannot choose another one.
 *
 * @throws {ClientError} if a document is missing, too large, or of another server
 * @see RFC 9728 section 3.3, RFC 8414 section 3.3
 */
export async function discover(
  serverUrl: URL,
  expectedIssuer: string,
  challenge: Challenge,
  context: MetadataContext,
): Promise<Discovered> {
  const served = await readDocument('api', resourceMetadataUrls(serverUrl, challenge), context)
  const resource = typeof served.resource === 'string' ? served.resource : ''
  if (!isResourceOf(URL.parse(resource), serverUrl))
    throw unusable('api', `its resource is ${shown(served.resource)}, not ${serverUrl.href}`)
  const issuers = textsOf(served.authorization_servers)
  if (!issuers.includes(expectedIssuer))
    throw unusable('api', `its authorization server is ${shown(issuers)}, not ${expectedIssuer}`)
  const scope = textsOf(served.scopes_supported).join(' ') || undefined
  const issuer = new URL(expectedIssuer)
  const document = await readDocument('authority', issuerMetadataUrls(issuer), context)
  if (document.issuer !== expectedIssuer)
    throw unusable('authority', `its issuer is ${shown(document.issuer)}, not ${expectedIssuer}`)
  const tokenEndpoint = URL.parse(String(document.token_endpoint))
  // Metadata of a public server must not lead to this machine.
  const isPermitted = tokenEndpoint?.protocol === 'https:' || issuer.protocol === 'http:'
  if (tokenEndpoint === null || !isPermitted || !isSecureUrl(tokenEndpoint))
    throw unusable('authority', `its token endpoint is ${shown(document.token_endpoint)}`)
  // RFC 8414 section 2: the default.
  const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = document
  const metadata = {
    issuer: expectedIssuer,
    token_endpoint_auth_methods_supported: textsOf(methods),
  }
  return { tokenEndpoint: tokenEndpoint.href, metadata, resource, scope }
}
