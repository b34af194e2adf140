import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { before, describe, it } from 'node:test'
import { clientSecret, createGreetingClient, createTokenSource } from '@greeting/client'
import { server as identity } from '../../fixtures/tls-identities.ts'
import { allTests, answering, serving, unreachableUrl } from './fakes/servers.ts'
import { emptyFile, RecordedTerminal } from './fakes/terminal.ts'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = `${part({ alg: 'RS256' })}.${part({ roles: ['CallHiApiRole', 'CallHelloApiRole'] })}.c2ln`

/** Answers like an identity provider and an API, except for one path. */
const system =
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

const at: Record<string, string> = {}
before(async () => {
  at.plain = new URL(await serving(allTests, system())).host
  at.refusing = new URL(await unreachableUrl()).host
  at.tls = await listening(createTlsServer(identity, system()))
  at.ssh = await listening(quiet((socket) => socket.end('SSH-2.0-OpenSSH\r\n')))
  at.closing = await listening(quiet((socket) => socket.destroy()))
  at.silent = await listening(quiet(() => undefined))
})

type Fault = Parameters<typeof system>[0]
/** A mistake: its settings, where `{name}` is the address of a server, and what all three say of it. */
type Row = readonly [
  what: string,
  settings: Record<string, string>,
  code: number,
  says: RegExp,
  fault?: Fault,
]

const notTls = /the port does not speak TLS.*Use the port of HTTPS/s
const isTlsPort = /closed without an answer, as a port of HTTPS does.*write https/s
const untrusted = /authority is not trusted by this process.*NODE_EXTRA_CA_CERTS.*greeting trust/s
const noListener = /no program listens on this port \(ECONNREFUSED\).*check the port/s
const unknownHost = /its host name is unknown \(E\w+\).*name servers/s
const late = /it did not answer in time/
const withChallenge = (said: string) => ({
  api: answering(
    401,
    {},
    { 'www-authenticate': `Bearer error="invalid_token", error_description="${said}"` },
  ),
})
const refusing = (code: number, error: string, said = 'A sentence.') => ({
  token: answering(error === 'invalid_client' ? 401 : 400, {
    error,
    error_description: `AADSTS${code}: ${said}`,
  }),
})

const servers = (['AUTH_URL', 'BASE_URL'] as const).flatMap((name): Row[] => [
  [`${name} is https at a port of HTTP`, { [name]: 'https://{plain}' }, 5, notTls],
  [`${name} is http at a port of HTTPS`, { [name]: 'http://{tls}' }, 5, isTlsPort],
  [`${name} has a certificate of an unknown authority`, { [name]: 'https://{tls}' }, 5, untrusted],
  [`${name} is a port without a program`, { [name]: 'http://{refusing}' }, 5, noListener],
  [
    `${name} is a port of another protocol`,
    { [name]: 'http://{ssh}' },
    5,
    /the port does not speak HTTP/,
  ],
  [`${name} is https at a port of another protocol`, { [name]: 'https://{ssh}' }, 5, notTls],
  [
    `${name} closes each connection`,
    { [name]: 'https://{closing}' },
    5,
    /the TLS handshake failed/,
  ],
  [`${name} does not answer`, { [name]: 'http://{silent}' }, 5, late],
  [`${name} has an unknown host`, { [name]: 'https://no-such-host.invalid' }, 5, unknownHost],
  [
    `${name} is http for another machine`,
    { [name]: 'http://api.example' },
    2,
    /an https URL \(http only for localhost\)/,
  ],
])
const rows: readonly Row[] = [
  ...servers,
  [
    'API that returns a page',
    {},
    1,
    /it is no greeting \(HTTP status 200, text\/html\)/,
    { api: answering(200, '<p>', { 'content-type': 'text/html' }) },
  ],
  [
    'API at another path',
    {},
    1,
    /The API refused GET http:.*\(HTTP status 404\).*Check the path/s,
    { api: answering(404, {}) },
  ],
  [
    'API with a fault',
    {},
    1,
    /it is an error \(HTTP status 500\): boom.*log of the API/s,
    { api: answering(500, { message: 'boom' }) },
  ],
  [
    'API without a role',
    {},
    4,
    /lacks the application role CallHiApiRole.*Grant CallHiApiRole/s,
    { api: answering(403, {}) },
  ],
  [
    'API of another issuer',
    {},
    3,
    /from another issuer.*Let the API trust/s,
    withChallenge('The access token is from another issuer'),
  ],
  [
    'API of another tenant',
    {},
    3,
    /from another tenant.*tenant that the API trusts/s,
    withChallenge('The access token is from another tenant'),
  ],
  [
    'API of another audience',
    {},
    3,
    /for another audience.*Request the scope/s,
    withChallenge('The access token is for another audience'),
  ],
  [
    'API with other keys',
    {},
    3,
    /could not be verified.*published keys/s,
    withChallenge('The signature of the access token could not be verified'),
  ],
  [
    'API with a late clock',
    {},
    3,
    /not valid yet.*is behind/s,
    withChallenge('The access token is not valid yet'),
  ],
  [
    'API with an early clock',
    {},
    3,
    /has expired.*is ahead/s,
    withChallenge('The access token has expired'),
  ],
  [
    'a wrong secret',
    {},
    3,
    /sent it to the wrong tenant.*secret's value/s,
    refusing(7000215, 'invalid_client', 'You sent it to the wrong tenant.'),
  ],
  [
    'a wrong client',
    {},
    3,
    /AADSTS700016.*Check the client ID/s,
    refusing(700016, 'unauthorized_client'),
  ],
  ['a wrong scope', {}, 3, /AADSTS500011.*Check the scope/s, refusing(500011, 'invalid_resource')],
  [
    'a wrong tenant',
    {},
    3,
    /AADSTS90002.*Check the tenant ID/s,
    refusing(90002, 'invalid_request'),
  ],
  [
    'identity provider that returns a page',
    {},
    1,
    /it is not JSON.*no proxy answers/s,
    { token: answering(200, '<p>') },
  ],
  [
    'identity provider that redirects',
    {},
    1,
    /a redirect, which is not followed/,
    { token: answering(302, '', { location: '/' }) },
  ],
  ['AUTH_URL with the issuer', { AUTH_URL: 'http://{plain}/t/v2.0' }, 2, /without.*\/v2\.0/],
  [
    'AUTH_URL with the token endpoint',
    { AUTH_URL: 'http://{plain}/t/oauth2/v2.0/token' },
    2,
    /without.*\/oauth2/,
  ],
]

const deadlineMs = 800
const noise = /error:0A|SSL routines|deps\/openssl|\\u000a|\n +at |\[redacted\] tenant/

describe('a mistake', () => {
  for (const [what, changes, code, says, fault] of rows)
    it(`is explained by library, command and doctor: ${what}`, async (test) => {
      const origin = await serving(test, system(fault))
      const settings: Record<string, string> = {
        AUTH_URL: origin,
        BASE_URL: origin,
        TENANT_ID: 't',
        CLIENT_ID: 'client',
        CLIENT_SECRET: 'wrong',
        SCOPE: 'api://x/.default',
      }
      for (const [name, value] of Object.entries(changes))
        settings[name] = value.replace(/\{(\w+)\}/, (_, server) => at[server] ?? '')
      const { AUTH_URL, BASE_URL = '' } = settings
      const call = async () => {
        const tokens = createTokenSource({
          authority: `${AUTH_URL}/t`,
          clientId: 'client',
          credential: clientSecret('wrong'),
          scope: 'api://x/.default',
          deadlineMs,
        })
        await createGreetingClient({ baseUrl: BASE_URL, tokens, deadlineMs }).hi()
      }
      await assert.rejects(call, (error) => {
        assert.match(`${error}`, says)
        assert.doesNotMatch(`${error}`, noise)
        return true
      })
      for (const command of ['hi', 'doctor']) {
        const terminal = new RecordedTerminal()
        const args = [command, '--settings', emptyFile, '--deadline', String(deadlineMs / 1000)]
        const ended = await terminal.run(args, settings)
        const said = terminal.out + terminal.err
        assert.equal(ended, code, said)
        assert.match(said, says)
        assert.doesNotMatch(said, noise)
      }
    })
})

describe('a mistake in the settings', () => {
  const complete = {
    AUTH_URL: 'http://127.0.0.1:4000',
    TENANT_ID: 't',
    CLIENT_ID: 'client',
    CLIENT_SECRET: 'wrong',
    SCOPE: 'api://x/.default',
  }
  const rows: readonly (readonly [settings: Record<string, string>, says: RegExp])[] = [
    [{ TENANT_ID: '' }, /TENANT_ID "" must be a text that is not empty/],
    [{ CLIENT_ID: ' ' }, /CLIENT_ID " " must be a text that is not empty/],
    [{ CLIENT_SECRET: '' }, /CLIENT_SECRET is missing \(or set CLIENT_SECRET_FILE/],
    [{ CLIENT_SECRET_FILE: 'x' }, /set only one of CLIENT_SECRET and CLIENT_SECRET_FILE/],
    [{ SCOPE: '' }, /API_APPLICATION_ID is missing \(or set SCOPE\)/],
    [{ AUTH_URL: 'localhost:4000' }, /AUTH_URL "localhost:4000" must be an http or https URL/],
    [{ BASE_URL: 'ftp://a' }, /BASE_URL "ftp:\/\/a" must be an http or https URL/],
  ]
  for (const [changes, says] of rows)
    it(`is explained by command and doctor: ${JSON.stringify(changes)}`, async () => {
      for (const command of ['hi', 'doctor']) {
        const terminal = new RecordedTerminal()
        const args = [command, '--settings', emptyFile]
        assert.equal(await terminal.run(args, { ...complete, ...changes }), 2)
        assert.match(terminal.out + terminal.err, says)
      }
    })
})
