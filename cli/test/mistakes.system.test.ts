import assert from 'node:assert/strict'
import { setGlobalProxyFromEnv } from 'node:http'
import { before, describe, it } from 'node:test'
import { clientSecret, createGreetingClient, createTokenSource } from '@greeting/client'
import { at, startServers, system } from './fakes/mistaken-servers.ts'
import { answering, serving } from './fakes/servers.ts'
import { emptyFile, ended } from './fakes/terminal.ts'

before(startServers)

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
const isTlsPort = /closed without a response, so the port probably expects HTTPS.*write https/s
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
  ...[
    answering(404, { error: 'not_found', error_description: 'There is nothing at this path' }),
    answering(404, '<p>', { 'content-type': 'text/html' }),
    answering(403, '<p>', { 'content-type': 'text/html' }),
  ].map(
    (token, index): Row => [
      `AUTH_URL of another program (${index})`,
      {},
      5,
      /There is no identity provider at http:.*Check the host and the port/s,
      { token },
    ],
  ),
  ['AUTH_URL with the issuer', { AUTH_URL: 'http://{plain}/t/v2.0' }, 2, /without.*\/v2\.0/],
  [
    'AUTH_URL with the token endpoint',
    { AUTH_URL: 'http://{plain}/t/oauth2/v2.0/token' },
    2,
    /without.*\/oauth2/,
  ],
]

/** What a temporary fault may take. It is repeated until the deadline; other faults end at once. */
const temporaryMs = 1_200
const lastingMs = 20_000
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

/** On a busy machine, the deadline may end before the first attempt: then it is longer. */
async function withEnoughTime(deadlineMs: number, check: (deadlineMs: number) => Promise<void>) {
  try {
    await check(deadlineMs)
  } catch (cause) {
    if (deadlineMs > 3 * lastingMs || !late.test(`${cause}`)) throw cause
    await withEnoughTime(4 * deadlineMs, check)
  }
}

function explained(rows: readonly Row[]): void {
  for (const [what, changes, code, says, fault] of rows)
    it(`is explained by the library, the command and doctor: ${what}`, async (test) => {
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
      if (PROXY) {
        // The process reads the same names at its start, with NODE_USE_ENV_PROXY=1.
        const proxies = { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, NO_PROXY: '127.0.0.1' }
        test.after(setGlobalProxyFromEnv(proxies))
        settings.NODE_USE_ENV_PROXY = '1'
      }
      const call = async (deadlineMs: number) => {
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
        (deadlineMs: number) =>
          assert.rejects(call(deadlineMs), (error) => {
            assert.match(`${error}`, says)
            assert.doesNotMatch(`${error}`, noise)
            return true
          }),
        ...['hi', 'doctor'].map((command) => async (deadlineMs: number) => {
          const args = [command, '--settings', emptyFile, '--deadline', String(deadlineMs / 1000)]
          const said = await ended(args, settings)
          assert.equal(said.code, code, said.text)
          assert.match(said.text, says)
          assert.doesNotMatch(said.text, noise)
        }),
      ]
      const firstMs = temporary.has(says) || PROXY ? temporaryMs : lastingMs
      // Several requests to a server that fails can wait for each other in fetch.
      for (const check of checks) await withEnoughTime(firstMs, check)
    })
}

describe('a mistake', { concurrency: 8 }, () => {
  explained(rows)
})
// The proxies are those of the process.
describe('a mistake about a proxy', () => {
  explained(proxies)
})
