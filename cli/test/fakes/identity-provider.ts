import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { administrator, FakeGraph } from '../../../fixtures/graph/fake-graph.ts'
import { answeringAs } from '../commands/registrations/fetch-server.ts'

// A fake of the identity provider, with the parts that `greeting start` needs.
const { DATA_DIR = '', HOST, PORT, STAND_IN_FAULT = '' } = process.env

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = `${part({ typ: 'JWT', alg: 'RS256' })}.${part({ iat: 1_700_000_000, roles: ['CallHiApiRole'] })}.c2ln`

if (STAND_IN_FAULT === 'identity-provider') {
  process.stderr.write(
    'The store of the fake identity provider is corrupt: restore it from a backup.\n',
  )
  process.exit(1)
}

const graph = new FakeGraph()
if (STAND_IN_FAULT === 'consent') graph.roles = ['Application.ReadWrite.All']
graph.tokenOfOthers = token
const answer = answeringAs(async (request) => {
  if (new URL(request.url).pathname === '/readyz') return Response.json({ status: 'ready' })
  if (STAND_IN_FAULT === 'dies' && request.method === 'POST') process.exit(9)
  return graph.handle(request)
})

const server = createServer(answer)
server.listen(Number(PORT), HOST, () => {
  const { port } = server.address() as AddressInfo
  const url = `http://${HOST}:${port}`
  mkdirSync(DATA_DIR, { recursive: true })
  const settings = Object.entries({ ...administrator, AUTH_URL: url, GRAPH_URL: url })
  const lines = settings.map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(join(DATA_DIR, 'administrator.env'), lines.join(''), { mode: 0o600 })
  process.stdout.write(`${JSON.stringify({ msg: 'listening', url, pid: process.pid })}\n`)
})
process.on('SIGTERM', () => {
  writeFileSync(join(DATA_DIR, 'stopped-cleanly'), '')
  process.exit(0)
})
process.on('disconnect', () => process.exit(0))
