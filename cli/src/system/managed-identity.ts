import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { readEnvFile } from '../files/env-file.ts'
import type { DataFolder } from './data-folder.ts'
import {
  appServicePath,
  type IdentityAnswer,
  type IdentityRequest,
  readIdentityRequest,
} from './identity-request.ts'

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
  message: IncomingMessage,
  { identities, secret, fetch = globalThis.fetch }: ManagedIdentityOptions,
): Promise<IdentityAnswer> {
  const read = readIdentityRequest(message, secret)
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
