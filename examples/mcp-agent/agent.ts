import { setTimeout } from 'node:timers/promises'
import { agentIdentity, clientSecret } from '@greeting/client'
import { mcpAuth } from '@greeting/client/mcp'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** The identity of an agent, and the server that it calls. */
export type AgentSettings = {
  readonly authUrl: string
  readonly tenantId: string
  readonly apiApplicationId: string
  readonly blueprintId: string
  readonly blueprintSecret: string
  readonly agentId: string
  readonly serverUrl: string
}

/** Creates an agent that calls tools. Its calls share the tokens, and each uses a separate connection. */
export function createAgent(settings: AgentSettings) {
  const { agentId, apiApplicationId, authUrl, blueprintId, serverUrl, tenantId } = settings
  const authProvider = mcpAuth({
    serverUrl,
    expectedIssuer: `${authUrl}/${tenantId}/v2.0`,
    clientId: agentId,
    credential: agentIdentity({
      blueprintId,
      credential: clientSecret(settings.blueprintSecret),
      agentId,
    }),
    scope: `api://${apiApplicationId}/.default`,
    // Entra ID accepts only identifier URIs of the API there.
    resourceParameter: 'never',
  })
  const connected = async <Result>(use: (client: Client) => Promise<Result>): Promise<Result> => {
    const client = new Client({ name: 'agent', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider }))
    try {
      return await use(client)
    } finally {
      await client.close()
    }
  }
  return {
    tools: () =>
      connected(async (client) => (await client.listTools()).tools.map(({ name }) => name)),
    call: (name: string) =>
      connected(async (client) => {
        const [first] = (await client.callTool({ name })).content
        return first?.type === 'text' ? first.text : ''
      }),
  }
}

/** Repeats a job until a signal. A run that fails is reported, and the next one still takes place. */
export async function runEvery(
  intervalMs: number,
  job: () => Promise<string>,
  report: (result: string) => void,
  signal = new AbortController().signal,
): Promise<void> {
  while (!signal.aborted) {
    report(await job().catch((error: Error) => `failed: ${error.message}`))
    await setTimeout(intervalMs, undefined, { signal }).catch(() => undefined)
  }
}
