import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGuard, entra } from '@greeting/guard'
import { mcpGuard } from '@greeting/guard/mcp'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { System } from './greeting-process.ts'

/** An MCP server behind the guard, with the tools `hi` and `hello`, each of which requires the role of its greeting. */
export type GuardedMcpServer = {
  readonly url: string
  readonly scope: string
  readonly stop: () => void
}

/**
 * Starts an MCP server on a free port of this machine. It accepts tokens for the greeting API.
 *
 * @param methods more methods for callers with the role of `hi`
 */
export async function startMcpServer(
  { identityProvider: { url: authUrl, tenantId }, api }: Pick<System, 'identityProvider' | 'api'>,
  methods: readonly string[] = [],
): Promise<GuardedMcpServer> {
  const roles = ['CallHiApiRole', 'CallHelloApiRole'] as const
  const apiApplicationId = api.applicationId
  const guard = createGuard(entra({ authUrl, tenantId, apiApplicationId, roles }))
  await guard.start()
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const scope = `api://${apiApplicationId}/.default`
  const mcp = mcpGuard(guard, {
    resource: url,
    authorizationServers: [`${authUrl}/${tenantId}/v2.0`],
    scopes: [scope],
    tools: { hi: 'CallHiApiRole', hello: 'CallHelloApiRole' },
    methods: Object.fromEntries(methods.map((method) => [method, 'CallHiApiRole'])),
  })
  const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })
  const handler = createMcpHandler(() => {
    const tools = new McpServer({ name: 'greeting', version: '1.0.0' })
    tools.registerTool('hi', { description: 'Says Hi.' }, () => text('Hi'))
    tools.registerTool('hello', { description: 'Says Hello.' }, () => text('Hello'))
    return tools
  })
  // The SDKs recognize only the responses of the runtime.
  const listener = getRequestListener(mcp.fetch(handler.fetch), { overrideGlobalObjects: false })
  server.on('request', listener)
  return {
    url,
    scope,
    stop: () => {
      guard.stop()
      server.close()
      server.closeAllConnections()
    },
  }
}
