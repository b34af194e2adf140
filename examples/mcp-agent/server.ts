import { createGuard, type EntraOptions, entra, type Runtime } from '@greeting/guard'
import { mcpGuard } from '@greeting/guard/mcp'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'

/** The roles of the greeting API: one for each tool. */
export const roles = ['CallHiApiRole', 'CallHelloApiRole'] as const

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })

/**
 * An MCP server with two tools, each for one role. A caller sees only the tools that it may call.
 *
 * @param url the URL of the server, as clients know it
 */
export async function createGreetings(
  settings: EntraOptions<(typeof roles)[number]>,
  url: string,
  runtime: Partial<Runtime> = {},
) {
  const { apiApplicationId, authUrl = 'https://login.microsoftonline.com', tenantId } = settings
  const guard = createGuard(entra(settings), runtime)
  await guard.start()
  const mcp = mcpGuard(guard, {
    resource: url,
    authorizationServers: [`${authUrl}/${tenantId}/v2.0`],
    scopes: [`api://${apiApplicationId}/.default`],
    tools: { hi: 'CallHiApiRole', hello: 'CallHelloApiRole' },
  })
  const handler = createMcpHandler(({ authInfo }) => {
    const server = new McpServer({ name: 'greetings', version: '1.0.0' })
    mcp.hideTools(authInfo, {
      hi: server.registerTool('hi', { description: 'Says Hi.' }, () => text('Hi')),
      hello: server.registerTool('hello', { description: 'Says Hello.' }, () => text('Hello')),
    })
    return server
  })
  return { guard, fetch: mcp.fetch(handler.fetch) }
}
