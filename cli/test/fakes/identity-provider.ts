import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from '../../src/system/services.ts'

/**
 * A fake of the identity provider, with the parts that `greeting start` needs. It starts faster than the
 * real one: the real one answers behind it.
 */
export const runFakeProvider: Awaited<ReturnType<Service['load']>> = async (host) => {
  const { DATA_DIR = '', HOST, PORT, STAND_IN_FAULT = '', UPSTREAM, ADMINISTRATOR = '' } = host.env
  if (STAND_IN_FAULT === 'identity-provider') {
    host.stderr.write(
      'The store of the fake identity provider is corrupt: restore it from a backup.\n',
    )
    return void host.exit(1)
  }
  if (STAND_IN_FAULT === 'throws') throw new Error('a fault of the fake identity provider')
  // A start that hangs, or that is slow.
  if (STAND_IN_FAULT === 'hangs') await new Promise(() => undefined)
  if (STAND_IN_FAULT === 'writes')
    for (let wait = 0; wait < 6; wait += 1) {
      host.output?.stream.write('{"msg":"still starting"}\n')
      await sleep(50)
    }

  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    if (url === '/readyz') return outgoing.end('{"status":"ready"}')
    if (STAND_IN_FAULT === 'dies' && method === 'POST') return end(9)
    const forwarded = request(`${UPSTREAM}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    return incoming.pipe(forwarded)
  })
  const end = (exitCode: number) =>
    void server.close(() => host.exit(exitCode)).closeAllConnections()
  host.on('SIGTERM', () => {
    // The end of a test may have removed the folder.
    if (existsSync(DATA_DIR)) writeFileSync(join(DATA_DIR, 'stopped-cleanly'), '')
    end(0)
  })
  await new Promise<void>((resolve) => void server.listen(Number(PORT), HOST, resolve))
  const url = `http://${HOST}:${(server.address() as AddressInfo).port}`
  mkdirSync(DATA_DIR, { recursive: true })
  const settings = Object.entries({ ...JSON.parse(ADMINISTRATOR), AUTH_URL: url, GRAPH_URL: url })
  const lines = settings.map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(join(DATA_DIR, 'administrator.env'), lines.join(''), { mode: 0o600 })
  return { url }
}
