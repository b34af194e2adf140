import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'

/** A service behind a proxy that remembers what it receives at /recorded. */
export type Recorder = AsyncDisposable & {
  readonly port: number
  readonly received: readonly IncomingHttpHeaders[]
  readonly connections: ReadonlySet<Socket>
}

/** Starts a recorder on a free port of 127.0.0.1. It answers every request with 200. */
export async function startRecorder(): Promise<Recorder> {
  const received: IncomingHttpHeaders[] = []
  const connections = new Set<Socket>()
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    if (request.url === '/recorded') {
      received.push(request.headers)
      connections.add(request.socket)
    }
    request.resume().on('end', () => response.end('recorded'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('the port is unknown')
  return {
    port: address.port,
    received,
    connections,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
