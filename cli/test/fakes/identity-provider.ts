import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

// A fake of the identity provider, with the parts that `greeting start` needs. It starts faster than the
// real one: the real one answers from the process of the test.
const { DATA_DIR = '', HOST, PORT, STAND_IN_FAULT = '', UPSTREAM, ADMINISTRATOR = '' } = process.env

if (STAND_IN_FAULT === 'identity-provider') {
  process.stderr.write(
    'The store of the fake identity provider is corrupt: restore it from a backup.\n',
  )
  process.exit(1)
}

if (STAND_IN_FAULT === 'writes')
  setInterval(() => process.stdout.write('{"msg":"still starting"}\n'), 50)

const server = createServer((incoming, outgoing) => {
  const { method, url, headers } = incoming
  if (url === '/readyz') return outgoing.end('{"status":"ready"}')
  if (STAND_IN_FAULT === 'dies' && method === 'POST') process.exit(9)
  const forwarded = request(`${UPSTREAM}${url}`, { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(outgoing)
  })
  return incoming.pipe(forwarded)
})
// A start that hangs, or that is slow.
const delayMs = { hangs: 3_600_000, writes: 900 }[STAND_IN_FAULT] ?? 0
setTimeout(() => server.listen(Number(PORT), HOST), delayMs)
server.once('listening', () => {
  const { port } = server.address() as AddressInfo
  const url = `http://${HOST}:${port}`
  mkdirSync(DATA_DIR, { recursive: true })
  const settings = Object.entries({ ...JSON.parse(ADMINISTRATOR), AUTH_URL: url, GRAPH_URL: url })
  const lines = settings.map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(join(DATA_DIR, 'administrator.env'), lines.join(''), { mode: 0o600 })
  process.stdout.write(`${JSON.stringify({ msg: 'listening', url, pid: process.pid })}\n`)
})
process.on('SIGTERM', () => {
  writeFileSync(join(DATA_DIR, 'stopped-cleanly'), '')
  process.exit(0)
})
process.on('disconnect', () => process.exit(0))
