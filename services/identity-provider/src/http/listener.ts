import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { ConnectionErrors } from './connection-errors.ts'
import { type Answer, answerToError, refusalOf } from './no-request.ts'

type Fetch = Parameters<typeof getRequestListener>[0]

/** A socket that listens already, and is told later what to answer with. */
export type Listener = {
  /** The origin at which it really listens, such as `http://127.0.0.1:4000`. */
  readonly url: string
  readonly answerWith: (fetch: Fetch) => void
  /** Takes no more connections, finishes what is in hand, closes what idles. */
  readonly stop: () => Promise<void>
}

/** A listener that speaks HTTPS. */
export type SecureListener = Listener & {
  /** Shows this certificate to whoever connects from now on. */
  readonly show: (identity: TlsIdentity) => void
}

/** A server certificate and its private key, both PEM. */
export type TlsIdentity = { readonly certificate: string; readonly key: string }

/** How patient a listener is, in milliseconds, by the names of Node's options. */
export const patience = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Node looks for late requests only so often, every 30 s by default.
  connectionsCheckingInterval: 1000,
} as const
type Patience = Readonly<Record<keyof typeof patience, number>>
// A missing host is answered by this server, as JSON like every other error.
const parsing = { requireHostHeader: false } as const
const longestDrainMs = 30_000
const idleSweepMs = 50

/**
 * Listens, before anything else is begun: a port that is taken leaves nothing half-started. Until it
 * is told what to answer with, every answer is 503.
 *
 * @param port 0 picks a free one.
 * @throws {Error} with Node's `code`, such as `EADDRINUSE`.
 */
export const listen = (
  host: string,
  port: number,
  timeouts: Patience = patience,
): Promise<Listener> => listenWith(createServer({ ...parsing, ...timeouts }), 'http', host, port)

/**
 * The same over TLS 1.2 or newer.
 *
 * @throws {Error} with Node's `code`, such as `EADDRINUSE`.
 */
export async function listenSecurely(
  host: string,
  port: number,
  identity: TlsIdentity,
): Promise<SecureListener> {
  const server = createSecureServer({ ...parsing, ...patience, ...secureContext(identity) })
  const listener = await listenWith(server, 'https', host, port)
  return { ...listener, show: (renewed) => server.setSecureContext(secureContext(renewed)) }
}

const secureContext = ({ certificate, key }: TlsIdentity) =>
  ({ cert: certificate, key, minVersion: 'TLSv1.2' }) as const

async function listenWith(
  server: Server | SecureServer,
  scheme: string,
  host: string,
  port: number,
): Promise<Listener> {
  let answer: RequestListener = (_, response) => {
    response.writeHead(503, { 'retry-after': '1', connection: 'close' }).end()
  }
  const inHand = new Set<ServerResponse>()
  const connectionErrors = new ConnectionErrors()
  server.on('clientError', connectionErrors.end)
  server.on('request', (request, response) => {
    inHand.add(response)
    response.once('close', () => inHand.delete(response))
    connectionErrors.begin(response)
    const refusal = refusalOf(request)
    if (refusal === undefined) answer(request, response)
    else refuse(response, refusal)
  })
  server.listen(port, host)
  await once(server, 'listening')
  const { address, family, port: realPort } = server.address() as AddressInfo
  return {
    url: `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${realPort}`,
    answerWith: (fetch) => {
      answer = getRequestListener(fetch, { errorHandler: answerToError })
    },
    stop: () => drain(server, inHand),
  }
}

function refuse(response: ServerResponse, { status, headers, body }: Answer): void {
  // What follows on the connection was written for a reader that understood the request.
  response.writeHead(status, { ...headers, connection: 'close' }).end(body)
}

async function drain(
  server: Server | SecureServer,
  inHand: ReadonlySet<ServerResponse>,
): Promise<void> {
  const closed = once(server, 'close')
  const makeLast = (response: ServerResponse) => {
    response.shouldKeepAlive = false
  }
  for (const response of inHand) makeLast(response)
  // A request that still comes in over an open connection is answered, and is its last.
  server.prependListener('request', (_, response) => makeLast(response))
  server.close()
  const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs)
  const cut = setTimeout(() => server.closeAllConnections(), longestDrainMs)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}
