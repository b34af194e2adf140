import { serve } from '@hono/node-server'
import { createAgent, runEvery } from './agent.ts'
import { createGreetings, roles } from './server.ts'

const { env } = process
const { TENANT_ID: tenantId = '', API_APPLICATION_ID: apiApplicationId = '' } = env
const { AUTH_URL: authUrl = 'https://login.microsoftonline.com', PORT = '3001' } = env
const serverUrl = env.SERVER_URL ?? `http://127.0.0.1:${PORT}/mcp`

const [part] = process.argv.slice(2)
const needed = ['TENANT_ID', 'API_APPLICATION_ID']
if (part === 'agent') needed.push('CLIENT_ID', 'CLIENT_SECRET', 'AGENT_ID')
const missing = needed.filter((name) => !env[name])
if (part !== 'server' && part !== 'agent') {
  console.error('Usage: node main.ts server | agent')
  process.exitCode = 2
} else if (missing.length > 0) {
  console.error(`Set ${missing.join(', ')}. README.md says where they are from.`)
  process.exitCode = 2
} else if (part === 'server') {
  const settings = { authUrl, tenantId, apiApplicationId, roles }
  const { fetch } = await createGreetings(settings, serverUrl)
  serve({ fetch, hostname: '127.0.0.1', port: Number(PORT) })
  console.log(`The MCP server listens at ${serverUrl}`)
} else {
  const { AGENT_ID: agentId = '', CLIENT_ID: blueprintId = '' } = env
  const blueprint = { blueprintId, blueprintSecret: env.CLIENT_SECRET ?? '' }
  const settings = { authUrl, tenantId, apiApplicationId, agentId, serverUrl }
  const agent = createAgent({ ...settings, ...blueprint })
  await runEvery(60_000, () => agent.call('hi'), console.log)
}
