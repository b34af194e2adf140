import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Service } from '../../src/system/services.ts'

/** A fake of the greeting API, with the parts that `greeting start` needs. */
export const runFakeApi: Awaited<ReturnType<Service['load']>> = async (host) => {
  const { HOST, PORT, AUTH_URL, ISSUER_URL, TENANT_ID, STAND_IN_FAULT = '' } = host.env
  const log = (line: object) => host.output?.stream.write(`${JSON.stringify(line)}\n`)
  if (STAND_IN_FAULT === 'greeting-api') host.stderr.write('Port 1 of the fake API is in use.\n')
  if (STAND_IN_FAULT === 'long_log')
    for (let line = 0; line < 5000; line += 1) log({ msg: 'x'.repeat(1013) })
  const exitCode = { 'greeting-api': 1, silent: 3, long_log: 3 }[STAND_IN_FAULT]
  if (exitCode !== undefined) return void host.exit(exitCode)

  let readyChecks = 0
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://fake')
    if (url.pathname === '/readyz') {
      readyChecks += 1
      response.writeHead(readyChecks < 3 ? 503 : 200).end('{}')
      return
    }
    if (url.pathname === '/die') {
      server.close()
      server.closeAllConnections()
      host.exit(7)
      return
    }
    if (!request.headers.authorization?.startsWith('Bearer ')) {
      response.writeHead(401).end()
      return
    }
    const text = url.pathname === '/api/v1/hi' ? 'Hi' : `Hello, ${url.searchParams.get('name')}`
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(text)
  })
  host.on('SIGTERM', () => server.close(() => host.exit(0)).closeAllConnections())
  await new Promise<void>((resolve) => void server.listen(Number(PORT), HOST, resolve))
  log({ msg: 'starting', settings: { AUTH_URL, ISSUER_URL, TENANT_ID } })
  return { url: `http://${HOST}:${(server.address() as AddressInfo).port}` }
}
