// Folder: Sockets that accept requests, refuse malformed ones, and stop without losing any.

import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { getRequestListener } from '@hono/node-server'
import { type ErrorAnswer, errorAnswer } from '../error-answer.ts'
import { endMalformed, refuseTunnel } from './connection-errors.ts'
import { drain, HeldAnswers, type StopOptions } from './drain.ts'
import { expectationFailed, refuseMalformed, responseToServerError } from './malformed-request.ts'
import { Pipeline } from './pipeline.ts'

/** Answers a request. The bindings contain Node's own request and response. */
export type Fetch = (request: Request, bindings?: object) => Response | Promise<Response>

/** A socket that accepts connections. Until `answerWith` is called, each answer is 503. */
export type Listener = {
  /** The origin with the real port, such as `http://127.0.0.1:4000`. */
  readonly url: string
  readonly answerWith: (fetch: Fetch) => void
  /** Closes each connection after its next answer, accepts no new ones, and closes idle ones. */
  readonly stop: (options?: StopOptions) => Promise<void>
}

/** A listener for HTTPS. */
export type SecureListener = Listener & {
  /** Uses this certificate for new connections. */
  readonly setIdentity: (identity: TlsIdentity) => void
}

/**
 * A server certificate and its private key, both PEM. Certificates of authorities may follow. A second
 * server certificate with the same key is for clients that name a host: clients that connect to an
 * address name none.
 */
export type TlsIdentity = { readonly certificate: string; readonly key: string }

/** Options of an HTTPS listener, in addition to its limits. */
export type SecureListenerOptions = {
  /**
   * Whether the handshake requests a certificate of the client; default false. Any certificate is
   * accepted, also none: the application decides which one it trusts (RFC 8705 section 2.2).
   */
  readonly requestsClientCertificate?: boolean
}

/** Limits of a listener. Times are in milliseconds and have the names of Node's options. */
export const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the 60 s of most proxies: a proxy must not reuse a connection that closes.
  keepAliveTimeout: 75_000,
  maxRequestsPerConnection: 10_000,
  // The timeouts take effect at this interval, while a connection is open. Node's default is 30 s.
  connectionsCheckingInterval: 1000,
} as const
type Limits = Readonly<Record<keyof typeof limits, number>> & {
  /** Whether other processes may also listen on the port. The system distributes connections. */
  readonly reusePort?: boolean
}

/** Connections that the system keeps until they are accepted, at most; it may keep fewer. Node's default is 511. */
const backlog = 4096

// The listener itself refuses a request without a host, so that this answer is JSON too.
const parserOptions = { requireHostHeader: false } as const

const starting = errorAnswer(503, 'temporarily_unavailable', 'The service is starting', {
  'retry-after': '1',
})

/** Opens a listener at a host and a port. */
export type Listen = (host: string, port: number, changes?: Partial<Limits>) => Promise<Listener>

/**
 * Opens an HTTP listener. A service opens it first, so that a port in use changes nothing else.
 *
 * @param port 0 selects a free port
 * @param changes replace some of the `limits`
 * @throws {Error} with Node's `code`, such as `EADDRINUSE`
 */
export function listen(
  host: string,
  port: number,
  changes: Partial<Limits> = {},
): Promise<Listener> {
  const bounds = { ...limits, ...changes }
  return listenWith(createServer({ ...parserOptions, ...bounds }), bounds, 'http', host, port)
}

/**
 * Opens an HTTPS listener with TLS 1.2 or newer.
 *
 * @param port 0 selects a free port
 * @param changes replace some of the `limits`
 * @throws {Error} with Node's `code`, such as `EADDRINUSE`
 */
export async function listenSecurely(
  host: string,
  port: number,
  identity: TlsIdentity,
  changes: Partial<Limits> = {},
  { requestsClientCertificate = false }: SecureListenerOptions = {},
): Promise<SecureListener> {
  const bounds = { ...limits, ...changes }
  let named = namedContext(identity)
  const server = createSecureServer({
    ...parserOptions,
    ...bounds,
    ...secureContext(identity),
    SNICallback: (_, use) => use(null, named),
    ...(requestsClientCertificate && { requestCert: true, rejectUnauthorized: false }),
  })
  const listener = await listenWith(server, bounds, 'https', host, port)
  // `localhost` is easier to read than an address, and local certificates contain both.
  const url = listener.url.replace(/\/\/(127\.0\.0\.1|\[::1\]):/, '//localhost:')
  const setIdentity = (next: TlsIdentity) => {
    named = namedContext(next)
    server.setSecureContext(secureContext(next))
  }
  return { ...listener, url, setIdentity }
}

function secureContext(identity: TlsIdentity) {
  const { forAddresses } = certificatesOf(identity)
  return { cert: forAddresses, key: identity.key, minVersion: 'TLSv1.2' } as const
}

/** For clients that name a host; undefined when they get the same certificate as all others. */
function namedContext(identity: TlsIdentity): SecureContext | undefined {
  const { forHosts: cert } = certificatesOf(identity)
  if (cert === undefined) return undefined
  return createSecureContext({ cert, key: identity.key, minVersion: 'TLSv1.2' })
}

function certificatesOf({ certificate }: TlsIdentity) {
  const { publicKey } = new X509Certificate(certificate)
  const isServer = (pem: string) => {
    const one = new X509Certificate(pem)
    return !one.ca && one.publicKey.equals(publicKey)
  }
  const [first = '', ...rest] = certificate.match(pemCertificate) ?? []
  const second = rest.find(isServer)
  if (second === undefined) return { forAddresses: certificate }
  const authorities = rest.filter((one) => !isServer(one))
  const [forAddresses, forHosts] = [first, second].map((one) => [one, ...authorities].join('\n'))
  return { forAddresses, forHosts }
}

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

async function listenWith(
  server: Server | SecureServer,
  {
    maxRequestsPerConnection,
    requestTimeout,
    connectionsCheckingInterval,
    reusePort = false,
  }: Limits,
  scheme: string,
  host: string,
  port: number,
): Promise<Listener> {
  let answer: RequestListener = (_, response) => send(response, starting)
  const heldAnswers = new HeldAnswers()
  const pipeline = new Pipeline(maxRequestsPerConnection, requestTimeout)
  server.on('clientError', (error, socket) => {
    const refuse = () => endMalformed(error, socket, pipeline.latestOf(socket))
    const isHeld = pipeline.holdRest(error, socket as Socket)
    if (!isHeld && !pipeline.postpone(error, socket as Socket, refuse)) refuse()
  })
  const enter = (response: ServerResponse, answerInTurn: () => void) =>
    pipeline.enter(response, () => heldAnswers.run(answerInTurn))
  server.on('request', (request, response) => {
    enter(response, () => {
      const refusal = refuseMalformed(request)
      if (refusal === undefined) answer(request, response)
      else send(response, refusal)
    })
  })
  // Without these two, Node answers with an empty body or closes the connection without an answer.
  server.on('checkExpectation', (_, response) =>
    enter(response, () => send(response, expectationFailed)),
  )
  server.on('connect', (_, socket) => refuseTunnel(socket, pipeline.latestOf(socket)))
  checkWhileConnected(server, connectionsCheckingInterval)
  server.listen({ port, host, backlog, reusePort })
  await once(server, 'listening')
  const { address, family, port: realPort } = server.address() as AddressInfo
  // The URL of an HTTPS listener of this machine has the name `localhost`, which means both addresses.
  const isNamed = scheme === 'https' && address === '127.0.0.1'
  const others = isNamed
    ? await listenAtIpv6(server, { port: realPort, reusePort }, port === 0)
    : []
  return {
    url: `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${realPort}`,
    answerWith: (fetch) => {
      answer = getRequestListener(fetch, { errorHandler: responseToServerError })
    },
    stop: (options) => drain(server, pipeline.latest, heldAnswers, options, others),
  }
}

/** The longest interval that Node accepts: 24 days. */
const longestMs = 2 ** 31 - 1

/** Checks the timeouts of connections only while one is open, because each check wakes the process. */
function checkWhileConnected(server: Server | SecureServer, everyMs: number): void {
  // Node's own listener begins the checks, again with each call. Without it, as in Bun, the interval stays.
  const listeners = server.listeners('listening')
  const beginChecks = listeners.find(({ name }) => name === 'setupConnectionsTracking')
  if (beginChecks === undefined) return
  const setInterval = (ms: number) =>
    beginChecks.call(Object.assign(server, { connectionsCheckingInterval: ms }))
  setInterval(longestMs)
  let open = 0
  server.on('connection', (socket: Socket) => {
    open += 1
    if (open === 1) setInterval(everyMs)
    socket.once('close', () => {
      open -= 1
      // A closed server needs none, and would be kept by it.
      if (open === 0 && server.listening) setInterval(longestMs)
    })
  })
}

/** A socket at the same port of `::1`, whose connections belong to the server; undefined if it cannot be opened. */
async function listenAtIpv6(
  server: Server | SecureServer,
  place: { readonly port: number; readonly reusePort: boolean },
  isAnyPort: boolean,
): Promise<readonly NetServer[]> {
  const other = createNetServer((socket) => server.emit('connection', socket))
  other.listen({ ...place, host: '::1', backlog })
  try {
    await once(other, 'listening')
    return [other]
  } catch (cause) {
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
    if (!isTaken || isAnyPort) return []
    server.close()
    throw cause
  }
}

function send(response: ServerResponse, { status, headers, body }: ErrorAnswer): void {
  // The rest of the connection may belong to a request that was read differently.
  response.writeHead(status, { ...headers, connection: 'close' }).end(body)
}
