import { serve } from '@hono/node-server'
import { createAgent, runEvery } from './agent.ts'
import { createGreetings, roles } from './server.ts'

const { env } = process
const { TENANT_ID: tenantId = '', API_APPLICATION_ID: apiApplicationId = '' } = env
const { AUTH_URL: authUrl = 'https://login.microsoftonline.com', PORT = '3001' } = env
const serverUrl = env.SERVER_URL ?? `http://127.0.0.1:${PORT}/mcp`

const [part] = process.argv.slice(2)
if (part === 'server') {
  const settings = { authUrl, tenantId, apiApplicationId, roles }
  const { fetch } = await createGreetings(settings, serverUrl)
  serve({ fetch, hostname: '127.0.0.1', port: Number(PORT) })
  console.log(`The MCP server listens at ${serverUrl}`)
} else if (part === 'agent') {
  const { AGENT_ID: agentId = '', BLUEPRINT_ID: blueprintId = '' } = env
  const blueprint = { blueprintId, blueprintSecret: env.BLUEPRINT_SECRET ?? '' }
  const settings = { authUrl, tenantId, apiApplicationId, agentId, serverUrl }
  const agent = createAgent({ ...settings, ...blueprint })
  await runEvery(60_000, () => agent.call('hi'), console.log)
} else {
  console.error('Usage: node main.ts server | agent')
  process.exitCode = 2
}
