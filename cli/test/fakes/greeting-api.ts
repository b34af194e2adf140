import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// A fake of the greeting API, with the parts that `greeting start` needs.
const { HOST, PORT, AUTH_URL, ISSUER_URL, TENANT_ID, STAND_IN_FAULT = '' } = process.env

if (STAND_IN_FAULT === 'greeting-api') {
  process.stderr.write('Port 1 of the fake API is in use.\n')
  process.exit(1)
}
if (STAND_IN_FAULT === 'silent') process.exit(3)
if (STAND_IN_FAULT === 'long_log') {
  const log = `${'x'.repeat(1023)}\n`.repeat(5000)
  process.stdout.write(log, () => process.exit(3))
}

let readyChecks = 0
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://fake')
  if (url.pathname === '/readyz') {
    readyChecks += 1
    response.writeHead(readyChecks < 3 ? 503 : 200).end('{}')
    return
  }
  if (url.pathname === '/die') process.exit(7)
  if (!request.headers.authorization?.startsWith('Bearer ')) {
    response.writeHead(401).end()
    return
  }
  const text = url.pathname === '/api/v1/hi' ? 'Hi' : `Hello, ${url.searchParams.get('name')}`
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(text)
})
server.listen(Number(PORT), HOST, () => {
  const { port } = server.address() as AddressInfo
  const settings = { AUTH_URL, ISSUER_URL, TENANT_ID }
  process.stdout.write(`${JSON.stringify({ msg: 'starting', settings, pid: process.pid })}\n`)
  process.stdout.write(`${JSON.stringify({ msg: 'listening', url: `http://${HOST}:${port}` })}\n`)
})
process.on('SIGTERM', () => process.exit(0))
process.on('disconnect', () => process.exit(0))
