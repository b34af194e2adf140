import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { readEnvFile } from '../files/env-file.ts'
import type { DataFolder } from './data-folder.ts'

/** A client whose tokens the endpoints return. It is an ordinary registration. */
type ManagedIdentity = {
  readonly authUrl: string
  readonly tenantId: string
  readonly clientId: string
  readonly clientSecret: string
}

export type ManagedIdentityOptions = {
  /** 0 selects a free port. */
  readonly port: number
  /** Each is a user-assigned identity. The first one is also the system-assigned identity. */
  readonly identities: () => Promise<readonly ManagedIdentity[]>
  /** The value of `IDENTITY_HEADER`. */
  readonly secret: string
  readonly fetch?: typeof globalThis.fetch
}

export type ManagedIdentityEndpoints = {
  readonly url: string
  /** The variables that an SDK reads in Azure App Service. */
  readonly appService: Readonly<Record<'IDENTITY_ENDPOINT' | 'IDENTITY_HEADER', string>>
  /** The variable that leads an SDK from the address of a virtual machine to this one. */
  readonly virtualMachine: Readonly<Record<'AZURE_POD_IDENTITY_AUTHORITY_HOST', string>>
  readonly stop: () => Promise<void>
}

const host = '127.0.0.1'
const timeoutMs = 10_000

/**
 * Serves the managed identity endpoints of Azure App Service and of a virtual machine, on the
 * loopback interface only. Each token is requested anew: the SDKs keep tokens themselves.
 *
 * @throws {Error} with Node's `code`, such as `EADDRINUSE`
 */
export async function serveManagedIdentity(
  options: ManagedIdentityOptions,
): Promise<ManagedIdentityEndpoints> {
  const server = createServer({ headersTimeout: 5000, requestTimeout: 10_000 })
  server.on('request', async (request, response) => send(response, await handle(request, options)))
  server.listen(options.port, host)
  await once(server, 'listening')
  const url = `http://${host}:${(server.address() as AddressInfo).port}`
  return {
    url,
    appService: { IDENTITY_ENDPOINT: `${url}${appServicePath}`, IDENTITY_HEADER: options.secret },
    virtualMachine: { AZURE_POD_IDENTITY_AUTHORITY_HOST: url },
    stop: async () => {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
}

async function handle(
  { method = '', url = '', headers }: IncomingMessage,
  { identities, secret, fetch = globalThis.fetch }: ManagedIdentityOptions,
): Promise<IdentityAnswer> {
  const read = readIdentityRequest({ method, target: url, headers }, secret)
  if (!('request' in read)) return read
  const known = await identities()
  const { clientId } = read.request
  const identity =
    clientId === undefined ? known[0] : known.find((one) => one.clientId === clientId)
  return identity === undefined ? read.unknownIdentity : requestToken(identity, read.request, fetch)
}

/** The v1 token endpoint answers in the form of both endpoints, refusals included. */
async function requestToken(
  { authUrl, tenantId, clientId, clientSecret }: ManagedIdentity,
  { resource }: IdentityRequest,
  fetch: typeof globalThis.fetch,
): Promise<IdentityAnswer> {
  try {
    const response = await fetch(`${authUrl}/${tenantId}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
        resource,
      }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const body: unknown = await response.json()
    const isObject = typeof body === 'object' && body !== null
    if (!isObject) throw new TypeError('The token response is not an object')
    return { status: response.status, body: { ...body, client_id: clientId } }
  } catch {
    const error_description = 'The identity provider does not answer. Try again.'
    return { status: 503, body: { error: 'temporarily_unavailable', error_description } }
  }
}

function send(response: ServerResponse, { status, body }: IdentityAnswer): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body))
}

const maxFiles = 200

/**
 * Reads the identities of a data folder: the client of `client.env`, then the clients of the settings
 * files in `secrets`. They are read at each request, so that a new secret counts immediately.
 */
export async function registeredIdentities({
  clientEnvFile,
  secretFolder,
}: Pick<DataFolder, 'clientEnvFile' | 'secretFolder'>): Promise<readonly ManagedIdentity[]> {
  const names = await readdir(secretFolder).catch(() => [])
  const others = names
    .filter((name) => name.endsWith('.env'))
    .sort()
    .slice(0, maxFiles)
  const files = [clientEnvFile, ...others.map((name) => join(secretFolder, name))]
  const read = await Promise.all(files.map(identityOf))
  return read.filter((one) => one !== undefined)
}

async function identityOf(path: string): Promise<ManagedIdentity | undefined> {
  const { AUTH_URL, TENANT_ID, CLIENT_ID, CLIENT_SECRET } = (await readEnvFile(path)) ?? {}
  if (!AUTH_URL || !TENANT_ID || !CLIENT_ID || !CLIENT_SECRET) return undefined
  return {
    authUrl: AUTH_URL,
    tenantId: TENANT_ID,
    clientId: CLIENT_ID.toLowerCase(),
    clientSecret: CLIENT_SECRET,
  }
}

/** A request for a token of a managed identity, independent of its endpoint. */
type IdentityRequest = {
  /** The API as `resource` names it. */
  readonly resource: string
  /** The application ID of a user-assigned identity; undefined for the system-assigned one. */
  readonly clientId: string | undefined
}

type IdentityAnswer = { readonly status: number; readonly body: object }

/** The parts of an HTTP request that an endpoint reads. */
type HttpParts = {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** The path of Azure's instance metadata service. */
export const virtualMachinePath = '/metadata/identity/oauth2/token'
/** The path in `IDENTITY_ENDPOINT` of Azure App Service. */
export const appServicePath = '/msi/token'

const answer = (status: number, body: object): IdentityAnswer => ({ status, body })
const invalid = (description: string): IdentityAnswer =>
  answer(400, { error: 'invalid_request', error_description: description })
const appServiceError = (statusCode: number, message: string): IdentityAnswer =>
  answer(statusCode, { statusCode, message })

/** The rules of one kind of endpoint: each refuses a request, or lets it pass with `undefined`. */
type EndpointRules = {
  readonly versions: ReadonlySet<string>
  readonly refuseCaller: (headers: HttpParts['headers']) => IdentityAnswer | undefined
  readonly malformed: (message: string) => IdentityAnswer
  /** The answer for an identity that this machine does not have. */
  readonly unknownIdentity: IdentityAnswer
}

/** The endpoints by path. A browser sends neither header without asking first (CORS). */
const identityEndpoints = (secret: string): Readonly<Record<string, EndpointRules>> => ({
  [virtualMachinePath]: {
    versions: new Set(['2018-02-01', '2019-08-01']),
    refuseCaller: ({ metadata }) =>
      String(metadata).toLowerCase() === 'true'
        ? undefined
        : invalid('Required metadata header not specified'),
    malformed: invalid,
    unknownIdentity: invalid('Identity not found'),
  },
  [appServicePath]: {
    versions: new Set(['2019-08-01']),
    refuseCaller: (headers) =>
      isEqual(headers['x-identity-header'], secret)
        ? undefined
        : appServiceError(401, 'The header X-IDENTITY-HEADER is missing or wrong.'),
    malformed: (message) => appServiceError(400, message),
    unknownIdentity: appServiceError(
      400,
      'No User Assigned or Delegated Managed Identity found for specified ClientId.',
    ),
  },
})

/** Compares in constant time. A header that was sent twice is not equal. */
function isEqual(sent: string | readonly string[] | undefined, secret: string): boolean {
  const hashOf = (text: string) => createHash('sha256').update(text).digest()
  return typeof sent === 'string' && timingSafeEqual(hashOf(sent), hashOf(secret))
}

/** The text of `Host` is matched whole, because a URL parser would accept `evil@localhost`. */
const loopbackHost = /^(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/i
/** The headers of a forwarded request: RFC 7239, RFC 9110 section 7.6.3. */
const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']
const otherIdentities = ['object_id', 'principal_id', 'mi_res_id', 'msi_res_id']

/**
 * Reads a request for a token of a managed identity.
 *
 * A forwarded request comes from another machine, and a foreign `Host` from a web page whose name
 * leads to this machine. Both are refused, as Azure refuses the first.
 *
 * @param secret the value of `IDENTITY_HEADER`
 * @returns the request, or the refusal to send
 */
export function readIdentityRequest(
  { method, target, headers }: HttpParts,
  secret: string,
):
  | { readonly request: IdentityRequest; readonly unknownIdentity: IdentityAnswer }
  | IdentityAnswer {
  const url = URL.parse(target, 'http://localhost')
  // MSAL adds a slash at the end.
  const path = url?.pathname.endsWith('/') ? url.pathname.slice(0, -1) : (url?.pathname ?? '')
  const endpoint = Object.entries(identityEndpoints(secret)).find(([one]) => one === path)?.[1]
  if (url === null || endpoint === undefined || !loopbackHost.test(String(headers.host)))
    return answer(404, { error: 'not_found', error_description: 'There is nothing at this path.' })
  if (method !== 'GET') return endpoint.malformed('The method must be GET')
  if (forwardingHeaders.some((name) => headers[name] !== undefined))
    return endpoint.malformed('A forwarded request is not allowed')
  const refused = endpoint.refuseCaller(headers)
  if (refused !== undefined) return refused
  const query = url.searchParams
  if (!endpoint.versions.has(query.get('api-version') ?? '')) {
    const versions = [...endpoint.versions].join(', ')
    return endpoint.malformed(`The api-version must be one of: ${versions}`)
  }
  const resource = query.get('resource')
  if (resource === null || resource === '')
    return endpoint.malformed('The parameter resource is missing')
  const other = otherIdentities.find((name) => query.has(name))
  if (other !== undefined)
    return endpoint.malformed(`The parameter ${other} is not supported: use client_id`)
  const clientId = query.get('client_id')?.toLowerCase()
  return { request: { resource, clientId }, unknownIdentity: endpoint.unknownIdentity }
}
