import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import dns from 'node:dns'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import {
  createServer as createHttpServer,
  type RequestListener,
  setGlobalProxyFromEnv,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { clientSecret, createGreetingClient, createTokenSource } from '@greeting/client'
import type { Json } from '../../fixtures/graph/graph-tenant.ts'
import {
  local,
  outdated,
  thief,
  server as untrustedIdentity,
} from '../../fixtures/tls-identities.ts'
import { applied } from './commands/registrations/applied-graph.ts'
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

const nginxPage =
  '<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>'

/** A proxy that refuses each tunnel. */
const refusingProxy = (status: string) =>
  createHttpServer().on('connect', (_request, socket) =>
    socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`),
  )

/** The addresses of servers by name. */
const at: Record<string, string> = {}
before(async () => {
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
const tlsFailed = /the TLS handshake failed/
const tlsRefused =
  /(it ended the TLS handshake|the connection was closed).*may require a client certificate/s
const oldTls = /it ended the TLS handshake|the TLS handshake failed/
const noJson = /it is not JSON.*no proxy answers/s
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
  [
    `${name} is http at a port of HTTPS of nginx`,
    { [name]: 'http://{nginx}' },
    5,
    /the port speaks HTTPS only.*Write https in the URL/s,
  ],
  [
    `${name} has a certificate of another name`,
    { [name]: 'https://{misnamed}' },
    5,
    /certificate is for another name.*Use a name in the URL that the certificate/s,
  ],
  [
    `${name} has an outdated certificate`,
    { [name]: 'https://{outdated}' },
    5,
    /certificate has expired, or is not valid yet.*Renew/s,
  ],
  [`${name} requires a client certificate`, { [name]: 'https://{certified}' }, 5, tlsRefused],
  [`${name} has an old version of TLS`, { [name]: 'https://{old}' }, 5, oldTls],
  [`${name} is a port without a program`, { [name]: 'http://{refusing}' }, 5, noListener],
  [
    `${name} is a port of another protocol`,
    { [name]: 'http://{ssh}' },
    5,
    /the port does not speak HTTP/,
  ],
  [`${name} is https at a port of another protocol`, { [name]: 'https://{ssh}' }, 5, notTls],
  [`${name} closes each connection`, { [name]: 'https://{closing}' }, 5, tlsFailed],
  [`${name} does not answer`, { [name]: 'http://{silent}' }, 5, late],
  [`${name} has an unknown host`, { [name]: 'https://no-such-host.invalid' }, 5, unknownHost],
  [
    `${name} is http for another machine`,
    { [name]: 'http://api.example' },
    2,
    /an https URL \(http only for localhost\)/,
  ],
])
const proxies: readonly Row[] = [
  [
    'AUTH_URL is behind a proxy that does not run',
    { AUTH_URL: 'https://server.example', PROXY: 'http://{refusing}' },
    5,
    /127\.0\.0\.1:\d+: no program listens.*HTTPS_PROXY, HTTP_PROXY and NO_PROXY/s,
  ],
  [
    'AUTH_URL is behind a proxy with an unknown host',
    { AUTH_URL: 'https://server.example', PROXY: 'http://no-such-proxy.invalid' },
    5,
    /no-such-proxy\.invalid: its host name is unknown.*HTTPS_PROXY/s,
  ],
  [
    'AUTH_URL is behind a program that is no proxy',
    { AUTH_URL: 'https://server.example', PROXY: 'http://{ssh}' },
    5,
    /the port does not speak HTTP.*and HTTPS_PROXY/s,
  ],
  [
    'AUTH_URL is behind a proxy that closes each connection',
    { AUTH_URL: 'https://server.example', PROXY: 'http://{closing}' },
    5,
    /it did not answer in time.*HTTPS_PROXY|the connection was closed.*proxy|the TLS handshake failed/s,
  ],
  ...['403', '407'].map(
    (status): Row => [
      `AUTH_URL is behind a proxy that refuses with ${status}`,
      { AUTH_URL: 'https://server.example', PROXY: `http://{proxy${status}}` },
      5,
      /the proxy refuses the connection.*HTTPS_PROXY.*NO_PROXY/s,
    ],
  ),
  [
    'BASE_URL is behind a proxy that does not run',
    { BASE_URL: 'https://server.example', PROXY: 'http://{refusing}' },
    5,
    /127\.0\.0\.1:\d+: no program listens.*HTTPS_PROXY, HTTP_PROXY and NO_PROXY/s,
  ],
]
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
  ['identity provider that returns a page', {}, 1, noJson, { token: answering(200, '<p>') }],
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

// A temporary fault is repeated until the deadline. Other faults end at once, also on a slow machine.
const temporary = new Set([
  isTlsPort,
  noListener,
  unknownHost,
  late,
  tlsFailed,
  tlsRefused,
  oldTls,
  noJson,
])
const noise = /error:0A|SSL routines|deps\/openssl|\\u000a|\n +at |\[redacted\] tenant/

async function ended(args: readonly string[], settings: Record<string, string>) {
  const terminal = new RecordedTerminal()
  const code = await terminal.run(args, settings)
  return { code, text: terminal.out + terminal.err }
}

function explained(rows: readonly Row[]): void {
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
      const { AUTH_URL, BASE_URL = '', PROXY } = settings
      const lastingMs = temporary.has(says) ? 3_000 : 20_000
      // The rows of proxies wait one after another.
      const deadlineMs = PROXY ? 1_200 : lastingMs
      if (PROXY) {
        // The process reads the same names at its start, with NODE_USE_ENV_PROXY=1.
        const proxies = { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, NO_PROXY: '127.0.0.1' }
        test.after(setGlobalProxyFromEnv(proxies))
        settings.NODE_USE_ENV_PROXY = '1'
      }
      const call = async () => {
        const tokens = createTokenSource({
          authority: `${AUTH_URL}/t`,
          clientId: 'client',
          credential: clientSecret('wrong'),
          scope: 'api://x/.default',
          deadlineMs,
        })
        await createGreetingClient({ baseUrl: BASE_URL, tokens, deadlineMs: deadlineMs * 1.1 }).hi()
      }
      const checks = [
        () =>
          assert.rejects(call, (error) => {
            assert.match(`${error}`, says)
            assert.doesNotMatch(`${error}`, noise)
            return true
          }),
        ...['hi', 'doctor'].map((command) => async () => {
          const args = [command, '--settings', emptyFile, '--deadline', String(deadlineMs / 1000)]
          const said = await ended(args, settings)
          assert.equal(said.code, code, said.text)
          assert.match(said.text, says)
          assert.doesNotMatch(said.text, noise)
        }),
      ]
      // Several requests to a server that fails can wait for each other in fetch.
      for (const check of checks) await check()
    })
}

describe('a mistake', { concurrency: 8 }, () => {
  explained(rows)
})
// The proxies are those of the process.
describe('a mistake about a proxy', () => {
  explained(proxies)
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
        const said = await ended([command, '--settings', emptyFile], { ...complete, ...changes })
        assert.equal(said.code, 2)
        assert.match(said.text, says)
      }
    })
})

describe('a report on a terminal of 60 columns', () => {
  it('wraps its texts below their column, and keeps long words whole', async () => {
    const terminal = new RecordedTerminal()
    terminal.columns = 60
    await terminal.run(['doctor', '--settings', emptyFile], {})
    const [first = '', ...lines] = terminal.out.split('\n')
    assert.match(first, /^WRONG {2}settings {11}Invalid client settings:/)
    const long = [first, ...lines].filter((line) => line.length > 60)
    for (const line of long) assert.match(line, /^ {26}\S+$/)
    assert.ok(lines.length > 20)
  })
})

describe('a mistake in the arguments', () => {
  const oneMethod = /The method must be one of HTTP, such as GET or POST/
  const folder = mkdtempSync(join(tmpdir(), 'greeting-mistakes-'))
  after(() => rmSync(folder, { recursive: true }))
  const file = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  const rows: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [[], /^Usage: greeting/],
    [['hallo'], /unknown command 'hallo'/],
    [['helo'], /unknown command 'helo'.*Did you mean one of hello, help\?/s],
    [['help', 'nothing'], /unknown command 'nothing'/],
    [['help', 'registrations', 'nothing'], /unknown command 'nothing'/],
    [['registrations'], /^Usage: greeting registrations/],
    [['registrations', 'aply', 'x.json'], /unknown command 'aply'.*Did you mean apply\?/s],
    [['hi', '--jsn'], /unknown option '--jsn'.*Did you mean --json\?/s],
    [['hi', 'Ada'], /too many arguments for 'hi'/],
    [['hello'], /required option '--name <name>' not specified/],
    [['hi', '--deadline', '0'], /a number of seconds, greater than 0 and at most 600/],
    [['hi', '--settings'], /'--settings <path>' argument missing/],
    [['hi', '--settings', 'nothing.env'], /There is no file nothing\.env/],
    [['hi', '--settings', folder], /Cannot read \S+: a folder has this name/],
    [
      ['hi', '--settings', file('empty.env', '')],
      /empty\.env has no line NAME=value; TENANT_ID is/,
    ],
    [
      ['hi', '--settings', file('broken.env', '\0 {"TENANT_ID": "x"}')],
      /broken\.env has no line NAME=value;.*in the environment or in \S+broken\.env,/s,
    ],
    [
      ['hi', '--settings', file('huge.env', `A=${'x'.repeat(1_100_000)}\n`)],
      /Cannot read \S+huge\.env: it has more than 1048576 bytes/,
    ],
    [['call', 'BOGUS', '/'], oneMethod],
    [['call', 'TRACE', '/'], oneMethod],
    [['call', '', '/'], oneMethod],
    [['call', 'GET'], /missing required argument 'path'/],
    [['call', 'GET', 'api/v1/hi'], /The path must start with a slash/],
    [['run', '--', 'hi'], /Use either --every or --cron/],
    [['run', '--every', '1s', '--', 'nothing'], /unknown command 'nothing'/],
    [['start', '--api-port', '99999'], /The port must be a number from 0 to 65535/],
    [['start', '--data-dir', ''], /The path must not be empty/],
  ]
  for (const [args, says] of rows)
    it(`is explained: greeting ${args.map((one) => basename(one)).join(' ')}`, async () => {
      const said = await ended(args, {})
      assert.equal(said.code, 2, said.text)
      assert.match(said.text, says)
    })
})

describe('a mistake about a client and an API', () => {
  const rows: readonly (readonly [client: string, code: number, says: RegExp])[] = [
    ['{id}', 0, /^"Greeting client" gets a token .* with CallHiApiRole/],
    [
      'Greting client',
      2,
      /^No application .* "Greting client"\.\nDid you mean:\n.*"Greeting client"/,
    ],
    ['Twin', 2, /^2 applications match "Twin":\n.*\n.*\nUse the application ID .* --client /],
  ]
  for (const [client, code, says] of rows)
    it(`is explained: registrations explain --client ${client}`, async (test) => {
      const { served } = await applied(test)
      const { tenant } = served
      for (const displayName of ['Twin', 'Twin'])
        await tenant.send('POST', '/applications', { displayName })
      const isClient = ({ displayName }: Json) => displayName === 'Greeting client'
      const { appId } = (await tenant.applications()).find(isClient) ?? {}
      const args = [
        'explain',
        '--api',
        'Greeting API',
        '--client',
        client.replace('{id}', `${appId}`),
      ]
      const said = await served.run(args)
      assert.equal(said.code, code, said.err)
      assert.match(said.out + said.err, says)
    })
})

describe('a mistake of the shell', () => {
  const bin = join(import.meta.dirname, '../bin/greeting.js')
  const folder = mkdtempSync(join(tmpdir(), 'greeting-mistakes-'))
  after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, '.greeting'))
  mkdirSync(join(folder, 'a/b'), { recursive: true })
  for (const name of ['client.env', 'administrator.env'])
    writeFileSync(join(folder, '.greeting', name), '', { mode: 0o600 })
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
  const above = (name: string) =>
    `Run the command in ${folder}, which has .greeting/${name}, or add --settings ${folder}/.greeting/${name}.\n`
  type ShellRow = readonly [
    what: string,
    line: string,
    code: number,
    ends: string,
    environment?: Record<string, string>,
  ]
  const rows: readonly ShellRow[] = [
    ['--version in place of help', 'greeting --version', 0, `greeting ${version}\n`],
    ['a subfolder', 'cd a/b && greeting hi', 2, above('client.env')],
    [
      'a subfolder, as administrator',
      'cd a/b && greeting keys list',
      2,
      above('administrator.env'),
    ],
    ['the data folder itself', 'cd .greeting && greeting portal', 2, above('administrator.env')],
    ['a pipe that closes early', 'greeting --help | head -n 1', 0, '[options] [command]\n'],
    [
      'an error stream that closes early',
      'greeting nothing 2>&1 >&3 | true; greeting nothing 2>&-',
      2,
      '',
    ],
    ['colours that are not wanted', 'greeting doctor | head -c 5', 0, 'WRONG', { NO_COLOR: '1' }],
    [
      'a proxy that does not run',
      'greeting hi --settings proxy.env --deadline 0.5',
      5,
      'Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.\n',
      { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'http://127.0.0.1:1' },
    ],
    ...(process.platform === 'linux'
      ? [
          [
            'a full disk',
            'greeting token --help > /dev/full',
            1,
            'The output cannot be written: ENOSPC: no space left on device, write\n',
          ] as const,
        ]
      : []),
  ]
  writeFileSync(
    join(folder, 'proxy.env'),
    'AUTH_URL=https://server.example\nTENANT_ID=t\nCLIENT_ID=c\nCLIENT_SECRET=s\nSCOPE=s\n',
  )
  for (const [what, line, code, ends, environment] of rows)
    it(`is explained or does no harm: ${what}`, () => {
      const shell = `greeting() { '${process.execPath}' '${bin}' "$@"; }; cd '${folder}'; ${line}`
      const { PATH, NODE_COMPILE_CACHE } = process.env
      const env = { PATH, NODE_COMPILE_CACHE, ...environment }
      const { status, stdout, stderr } = spawnSync('sh', ['-c', shell], { encoding: 'utf8', env })
      assert.equal(status, code, stderr)
      assert.ok((stdout + stderr).endsWith(ends), stdout + stderr)
    })
})
