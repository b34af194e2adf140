import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import type { Socket } from 'node:net'

/**
 * A `fetch` that sends requests for every host to one port of this machine, as if DNS led to a proxy.
 *
 * @param ca the certificate that it trusts
 */
export function proxiedFetch(port: number, ca: string): typeof fetch & Disposable {
  const agent = new Agent({ keepAlive: true, ca })
  const send: typeof fetch = async (input, init) => {
    const { hostname, pathname, search } = new URL(String(input))
    const body = init?.body === undefined ? undefined : String(init.body)
    const form = init?.body instanceof URLSearchParams && 'application/x-www-form-urlencoded'
    const sent = request({
      host: '127.0.0.1',
      port,
      agent,
      servername: hostname,
      method: init?.method ?? 'GET',
      path: pathname + search,
      headers: {
        ...Object.fromEntries(new Headers(init?.headers)),
        host: hostname,
        ...(form && { 'content-type': form }),
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
    }).end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const bytes = Buffer.concat(await answer.toArray())
    return new Response(bytes, { status: answer.statusCode ?? 0 })
  }
  return Object.assign(send, { [Symbol.dispose]: () => agent.destroy() })
}

/** A service behind a proxy that shows at /recorded what it received. */
export type Recorder = AsyncDisposable & {
  readonly port: number
  readonly received: readonly IncomingHttpHeaders[]
  readonly connections: ReadonlySet<Socket>
}

/** Starts a recorder on a free port of 127.0.0.1. It responds to every request with 200. */
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
