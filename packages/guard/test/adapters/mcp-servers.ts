import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import * as v2 from '@modelcontextprotocol/client'
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpServer as ServerOfV1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import express from 'express'
import {
  type McpAuthInfo,
  type McpGuard,
  type McpGuardOptions,
  mcpGuard,
} from '../../src/adapters/mcp.ts'
import { anyCaller, type Guard } from '../../src/index.ts'
import { apiApplicationId, type Role, tenantId } from '../token-factory.ts'
import { type Running, running, serve } from './servers.ts'

type Tool = 'hi' | 'hello' | 'whoami'
type AuthInfo = { readonly extra?: Record<string, unknown> } | undefined

export const scope = `api://${apiApplicationId}/.default`
const resource = 'https://mcp.example/mcp'
const authorizationServer = `https://login.microsoftonline.com/${tenantId}/v2.0`
export const metadataUrl = 'https://mcp.example/.well-known/oauth-protected-resource/mcp'

export const optionsOf = (changes: Partial<McpGuardOptions<Role, Tool>> = {}) => ({
  resource,
  authorizationServers: [authorizationServer],
  scopes: [scope],
  tools: { hi: 'CallHiApiRole', hello: 'CallHelloApiRole', whoami: anyCaller } as const,
  ...changes,
})

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })
const callerOf = (authInfo: AuthInfo) => (authInfo as McpAuthInfo<Role>).extra.caller

/** Registers the tools of both generations of the SDK, and `forgotten`, which has no row. */
function serverOfV1(mcp: McpGuard<Role, Tool>, authInfo: AuthInfo) {
  const server = new ServerOfV1({ name: 'test', version: '1.0.0' })
  server.registerTool('forgotten', {}, () => text('open'))
  mcp.hideTools(authInfo, {
    hi: server.registerTool('hi', {}, () => text('Hi')),
    hello: server.registerTool('hello', {}, () => text('Hello')),
    whoami: server.registerTool('whoami', {}, (extra) =>
      text(callerOf(extra.authInfo).applicationId),
    ),
  })
  return server
}

function serverOfV2(mcp: McpGuard<Role, Tool>, authInfo: AuthInfo) {
  const server = new McpServer({ name: 'test', version: '1.0.0' })
  server.registerTool('forgotten', {}, () => text('open'))
  mcp.hideTools(authInfo, {
    hi: server.registerTool('hi', {}, () => text('Hi')),
    hello: server.registerTool('hello', {}, () => text('Hello')),
    whoami: server.registerTool('whoami', {}, (context) =>
      text(callerOf(context.http?.authInfo).applicationId),
    ),
  })
  return server
}

const listenerOfV1 = (mcp: McpGuard<Role, Tool>) =>
  mcp.listener(async (request, response, body) => {
    const transport = new StreamableHTTPServerTransport()
    await serverOfV1(mcp, request.auth).connect(transport as never)
    await transport.handleRequest(request, response, body)
  })

type Start = (
  guard: Guard<Role>,
  changes?: Partial<McpGuardOptions<Role, Tool>>,
) => Promise<Running>

/** An MCP server with each generation of the SDK, behind the guard. */
export const mcpServers: Readonly<Record<string, Start>> = {
  'SDK v1 on node:http': (guard, changes) =>
    serve(listenerOfV1(mcpGuard(guard, optionsOf(changes)))),
  'SDK v1 on Express, after a parser of bodies': (guard, changes) => {
    const app = express().set('env', 'test')
    app.use(express.json({ limit: '2mb' }))
    app.use(listenerOfV1(mcpGuard(guard, optionsOf(changes))))
    return running(createServer(app))
  },
  'SDK v1 on Web requests': (guard, changes) => {
    const mcp = mcpGuard(guard, optionsOf(changes))
    const fetch = mcp.fetch(async (request, options) => {
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
      await serverOfV1(mcp, options.authInfo).connect(transport as never)
      return transport.handleRequest(request, options)
    })
    return serve(getRequestListener(fetch))
  },
  'SDK v2 on Web requests': (guard, changes) => {
    const mcp = mcpGuard(guard, optionsOf(changes))
    const handler = createMcpHandler(({ authInfo }) => serverOfV2(mcp, authInfo))
    return serve(getRequestListener(mcp.fetch(handler.fetch)))
  },
}

type Connected = {
  readonly list: () => Promise<string[]>
  readonly call: (name: string) => Promise<string | undefined>
  readonly close: () => Promise<void>
}
type Connect = (url: string, token: string, fetch: typeof globalThis.fetch) => Promise<Connected>

type AnyClient = {
  listTools: () => Promise<{ tools: { name: string }[] }>
  callTool: (call: { name: string }) => Promise<unknown>
  close: () => Promise<void>
}
const connected = (client: AnyClient): Connected => ({
  list: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name) =>
    ((await client.callTool({ name })) as ReturnType<typeof text>).content[0]?.text,
  close: () => client.close(),
})

const information = { name: 'test', version: '1.0.0' }
type OptionsOfV1 = ConstructorParameters<typeof StreamableHTTPClientTransport>[1]
const withV1 = async (url: string, options: OptionsOfV1) => {
  const client = new Client(information)
  await client.connect(new StreamableHTTPClientTransport(new URL(url), options) as never)
  return connected(client as AnyClient)
}
const withV2 = async (
  url: string,
  transport: v2.StreamableHTTPClientTransportOptions,
  options: v2.ClientOptions = {},
) => {
  const client = new v2.Client(information, options)
  await client.connect(new v2.StreamableHTTPClientTransport(new URL(url), transport))
  return connected(client as AnyClient)
}

/** A client of each generation of the SDK, with a token. */
export const mcpClients: Readonly<Record<string, Connect>> = {
  'SDK v1': (url, token, fetch) =>
    withV1(url, { fetch, requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  'SDK v2': (url, token, fetch) =>
    withV2(url, { fetch, authProvider: { token: async () => token } }),
  'SDK v2 on the wire of 2026-07-28': (url, token, fetch) =>
    withV2(
      url,
      { fetch, authProvider: { token: async () => token } },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    ),
}

/** Answers as the identity provider, and sends everything else to the server at the URL. */
const providerBefore =
  (url: string, token: string, fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const asked = new URL(input instanceof Request ? input.url : input)
    if (asked.origin === new URL(resource).origin) return fetch(new URL(asked.pathname, url), init)
    if (asked.pathname === '/token') {
      return Response.json({ access_token: token, token_type: 'Bearer', expires_in: 3600 })
    }
    return Response.json({
      issuer: authorizationServer,
      authorization_endpoint: new URL('/authorize', authorizationServer),
      token_endpoint: new URL('/token', authorizationServer),
      jwks_uri: new URL('/keys', authorizationServer),
      response_types_supported: ['code'],
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    })
  }

const client = {
  clientId: 'client',
  clientSecret: 'no secret',
  scope,
  expectedIssuer: authorizationServer,
}

/** The SDKs with their own providers of client credentials, which ask again after a 403. */
export const selfProviding: Readonly<Record<string, Connect>> = {
  'SDK v1': (url, token, fetch) =>
    withV1(resource, {
      fetch: providerBefore(url, token, fetch),
      authProvider: new ClientCredentialsProvider(client),
    }),
  'SDK v2': (url, token, fetch) =>
    withV2(resource, {
      fetch: providerBefore(url, token, fetch),
      authProvider: new v2.ClientCredentialsProvider(client),
    }),
}
