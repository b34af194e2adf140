import dns from 'node:dns'
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { greetings } from '@greeting/client'
import {
  local,
  outdated,
  thief,
  server as untrustedIdentity,
} from '../../../test/fixtures/tls-identities.ts'
import { allTests, answering, serving, unreachableUrl } from './servers.ts'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = `${part({ alg: 'RS256' })}.${part({ roles: Object.values(greetings).map(({ role }) => role) })}.c2ln`

/** Answers like an identity provider and an API, except for one path. */
export const system =
  (fault: { readonly token?: RequestListener; readonly api?: RequestListener } = {}) =>
  (...[request, response]: Parameters<RequestListener>) => {
    const { url = '', headers } = request
    const name = new URL(url, 'http://a').searchParams.get('name')
    const answers: readonly (readonly [string, RequestListener])[] = [
      [
        '/oauth2/v2.0/token',
        fault.token ??
          answering(200, { token_type: 'Bearer', expires_in: 99, access_token: token }),
      ],
      [
        'openid-configuration',
        answering(200, { token_endpoint: `http://${headers.host}/t/oauth2/v2.0/token` }),
      ],
      ['/healthz', answering(200, '')],
      ['/api/v1/', fault.api ?? answering(200, name === null ? 'Hi' : `Hello, ${name}`)],
    ]
    const [, answer] = answers.find(([path]) => url.includes(path)) ?? []
    return (answer ?? answering(404, {}))(request, response)
  }

async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  allTests.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
const quiet = (act: (socket: Socket) => void) =>
  createServer((socket) => {
    socket.on('error', () => undefined)
    act(socket)
  })

const nginxPage =
  '<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>'

/** A proxy that refuses each tunnel. */
const refusingProxy = (status: string) =>
  createHttpServer().on('connect', (_request, socket) =>
    socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`),
  )

/** The addresses of servers by name. */
export const at: Record<string, string> = {}
/** Starts the servers of `at`. */
export async function startServers(): Promise<void> {
  const lookUp = dns.lookup
  Object.assign(dns, {
    lookup: (host: string, ...rest: unknown[]) => {
      if (!host.endsWith('.invalid')) return Reflect.apply(lookUp, dns, [host, ...rest])
      const error = new Error(`getaddrinfo ENOTFOUND ${host}`)
      const answer = rest.at(-1) as (error: Error) => void
      return process.nextTick(answer, Object.assign(error, { code: 'ENOTFOUND' }))
    },
  })
  at.plain = new URL(await serving(allTests, system())).host
  at.refusing = new URL(await unreachableUrl()).host
  at.tls = await listening(createTlsServer(untrustedIdentity, system()))
  const authorities = [thief, outdated, local].map(({ cert }) => cert)
  setDefaultCACertificates([...getCACertificates('default'), ...authorities])
  at.misnamed = await listening(createTlsServer(thief, system()))
  at.outdated = await listening(createTlsServer(outdated, system()))
  const certified = { ...local, requestCert: true, rejectUnauthorized: true }
  at.certified = await listening(createTlsServer(certified, system()))
  const old = {
    ...local,
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
    ciphers: 'ALL:@SECLEVEL=0',
  } as const
  at.old = await listening(createTlsServer(old, system()))
  at.nginx = new URL(await serving(allTests, answering(400, nginxPage))).host
  at.proxy403 = await listening(refusingProxy('403 Forbidden'))
  at.proxy407 = await listening(refusingProxy('407 Proxy Authentication Required'))
  at.ssh = await listening(quiet((socket) => socket.end('SSH-2.0-OpenSSH\r\n')))
  at.closing = await listening(quiet((socket) => socket.destroy()))
  at.silent = await listening(quiet(() => undefined))
}
