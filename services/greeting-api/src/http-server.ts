import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { ConnectionErrors } from './connection-errors.ts'
import { type Answer, answerToError, refusalOf } from './malformed-request.ts'

/** Answers a request; the bindings are what the server knows of it besides. */
export type Fetch = (request: Request, bindings?: object) => Response | Promise<Response>

/** A server that listens already and is told what to answer with. */
export type HttpServer = {
  /** The address that it really listens at, such as `http://127.0.0.1:3000`. */
  readonly url: string
  readonly answerWith: (fetch: Fetch) => void
  /** Takes no more connections, finishes what is in hand, closes what idles. */
  readonly stop: () => Promise<void>
}

/** How patient a server is, in milliseconds, by the names of Node's options. */
export const patience = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Node looks for late requests only so often, every 30 s by default.
  connectionsCheckingInterval: 1000,
} as const

const longestDrainMs = 30_000
const idleSweepMs = 50

/** Begins to listen at a host and a port. */
export type Listen = (host: string, port: number) => Promise<HttpServer>

/**
 * Listens; resolves once connections are accepted.
 *
 * @param port 0 picks a free one
 * @throws {Error} with Node's `code`, such as `EADDRINUSE`
 */
export async function listen(
  host: string,
  port: number,
  timeouts: Readonly<Record<keyof typeof patience, number>> = patience,
): Promise<HttpServer> {
  const server = createServer({
    ...timeouts,
    // A missing host is answered below, as JSON like every other error.
    requireHostHeader: false,
  })
  const connectionErrors = new ConnectionErrors()
  server.on('clientError', connectionErrors.end)
  server.listen(port, host)
  await once(server, 'listening')
  const { address, family, port: realPort } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${realPort}`,
    answerWith: (fetch) => {
      const answer = getRequestListener(fetch, { errorHandler: answerToError })
      server.on('request', (request, response) => {
        connectionErrors.begin(response)
        const refusal = refusalOf(request)
        if (refusal === undefined) void answer(request, response)
        else refuse(response, refusal)
      })
    },
    stop: () => drain(server),
  }
}

function refuse(response: ServerResponse, { status, headers, body }: Answer): void {
  // What follows on the connection was written for a reader that understood the request.
  response.writeHead(status, { ...headers, connection: 'close' }).end(body)
}

async function drain(server: Server): Promise<void> {
  const closed = once(server, 'close')
  // A request that still comes in over an open connection is answered, and is its last.
  server.prependListener('request', (_, response) => {
    response.shouldKeepAlive = false
  })
  server.close()
  const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs)
  const cut = setTimeout(() => server.closeAllConnections(), longestDrainMs)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}
