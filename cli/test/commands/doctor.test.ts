import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { greetings } from '@greeting/client'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { answering, serving, unreachableUrl } from '../fakes/servers.ts'
import { emptyFile, RecordedTerminal } from '../fakes/terminal.ts'

const canary = 'canary~secret'
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const tokenWith = (roles?: readonly string[]) => `${part({ alg: 'RS256' })}.${part({ roles })}.c2ln`
const nowSeconds = Math.floor(Date.now() / 1000)
const timedToken = (start: number, end: number) =>
  `${part({ alg: 'RS256' })}.${part({ roles: everyRole, nbf: nowSeconds + start, exp: nowSeconds + end })}.c2ln`
const everyRole = Object.values(greetings).map(({ role }) => role)

type Faults = {
  readonly refusal?: { readonly code: number; readonly error: string; readonly status?: number }
  readonly token?: string
  readonly discovery?: RequestListener
  readonly api?: RequestListener
  readonly skewSeconds?: number
  readonly environment?: Record<string, string>
}

const greetingApi: RequestListener = (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://api')
  if (pathname === '/healthz') return answering(200, { status: 'alive' })(request, response)
  const text = pathname === '/api/v1/hi' ? 'Hi' : `Hello, ${searchParams.get('name')}`
  return answering(200, text)(request, response)
}

async function examined(test: TestContext, faults: Faults, args: readonly string[] = []) {
  const {
    refusal,
    token = tokenWith(everyRole),
    discovery,
    skewSeconds = 0,
    api = greetingApi,
  } = faults
  const date = new Date(Date.now() + skewSeconds * 1000).toUTCString()
  const authority: RequestListener = (request, response) => {
    if (request.method === 'GET') {
      const document = { token_endpoint: `http://${request.headers.host}/tenant/oauth2/v2.0/token` }
      return (discovery ?? answering(200, document, { date }))(request, response)
    }
    if (refusal) {
      const { code, error, status = 400 } = refusal
      const error_description = `AADSTS${code}: Refused, ${canary}.`
      return answering(status, { error, error_description })(request, response)
    }
    const body = { token_type: 'Bearer', expires_in: 3599, access_token: token }
    return answering(200, body)(request, response)
  }
  const terminal = new RecordedTerminal()
  const code = await terminal.run(['doctor', '--deadline', '1', '--settings', emptyFile, ...args], {
    AUTH_URL: await serving(test, authority),
    BASE_URL: await serving(test, api),
    TENANT_ID: 'tenant',
    CLIENT_ID: 'client',
    CLIENT_SECRET: canary,
    API_APPLICATION_ID: 'api',
    ...faults.environment,
  })
  assert.ok(!`${terminal.out}${terminal.err}`.includes('canary'), 'the secret was printed')
  return { code, out: terminal.out, err: terminal.err }
}

/** The marks and steps of a table, such as "ok settings". */
const marksOf = (out: string) =>
  [
    ...out.matchAll(
      /^(ok|warn|WRONG|-) +(settings|identity provider|its TLS|discovery|clock|client|credential|scope|roles|size|API|[a-z]+) {2}/gm,
    ),
  ].map(([, mark, step]) => `${mark} ${step}`)

describe('greeting doctor', () => {
  it('finds no fault in a healthy system', async (test) => {
    const { code, out, err } = await examined(test, {})
    assert.deepEqual([code, err], [0, ''])
    assert.deepEqual(marksOf(out), [
      'ok settings',
      'ok identity provider',
      'ok its TLS',
      'ok discovery',
      'ok clock',
      'ok client',
      'ok credential',
      'ok scope',
      'ok roles',
      'ok size',
      'ok API',
      'ok its TLS',
      ...Object.keys(greetings).map((name) => `ok ${name}`),
    ])
  })

  const day = 86_400_000
  const soon = new Date(Date.now() + 5 * day).toISOString()
  const later = new Date(Date.now() + 100 * day).toISOString()

  const announcing =
    (member: string): RequestListener =>
    (request, response) => {
      const token_endpoint = `http://${request.headers.host}/tenant/oauth2/v2.0/token`
      answering(200, { token_endpoint, [member]: 'This server differs.' })(request, response)
    }

  type Row = readonly [what: string, faults: Faults, code: number, mark: string, detail: RegExp]
  const rows: readonly Row[] = [
    ...[
      answering(404, { error: 'not_found', error_description: 'There is nothing at this path' }),
      answering(200, '<!doctype html>'),
    ].map(
      (discovery, index): Row => [
        `a server that is no identity provider (${index})`,
        { discovery },
        5,
        'WRONG discovery',
        /there is no identity provider at http.*\n.*Check the host/,
      ],
    ),
    [
      'an unknown tenant',
      { discovery: answering(400, { error_description: 'AADSTS90002: Tenant not found.' }) },
      3,
      'WRONG discovery',
      /no discovery document: AADSTS90002.*\n.*Check TENANT_ID/,
    ],
    [
      'a server with a lab',
      { discovery: announcing('greeting_lab') },
      0,
      'warn discovery',
      /a server with a lab.*\n.*without "--lab"/,
    ],
    [
      'a server for MCP clients',
      { discovery: announcing('greeting_mcp_clients') },
      0,
      'warn discovery',
      /accepts requests that Entra refuses\n.*without MCP_CLIENTS=on/,
    ],
    [
      'a document of another server',
      { discovery: answering(200, { token_endpoint: 'https://other.example/' }) },
      0,
      'warn discovery',
      /is on another server/,
    ],
    [
      'a clock an hour behind',
      { skewSeconds: 3600 },
      1,
      'WRONG clock',
      /(3599|36\d\d) s behind the identity provider's\n.*Set the clock/,
    ],
    [
      'a token from the future, although the Date header is correct',
      { token: timedToken(900, 4800) },
      1,
      'WRONG clock',
      /[6-9]\d\d s behind the identity provider's\n.*Set the clock/,
    ],
    [
      'a new token that has expired',
      { token: timedToken(-8000, -4100) },
      1,
      'WRONG clock',
      /4[12]\d\d s ahead of the identity provider's\n/,
    ],
    ['a token that starts now', { token: timedToken(-300, 3600) }, 0, 'ok clock', /within 1 s/],
    ['a clock two minutes ahead', { skewSeconds: -120 }, 0, 'warn clock', /1[12]\d s ahead of/],
    [
      'an unknown client',
      { refusal: { code: 700016, error: 'unauthorized_client' } },
      3,
      'WRONG client',
      /AADSTS700016.*\n.*not registered in this tenant/,
    ],
    [
      'a wrong secret',
      { refusal: { code: 7000215, error: 'invalid_client', status: 401 } },
      3,
      'WRONG credential',
      /AADSTS7000215.*\n.*not its id/,
    ],
    [
      'an expired secret',
      { refusal: { code: 7000222, error: 'invalid_client', status: 401 } },
      3,
      'WRONG credential',
      /\n.*Create a new one/,
    ],
    [
      'a secret that expires soon',
      { environment: { CLIENT_SECRET_EXPIRES: soon } },
      0,
      'warn credential',
      /it ends in [45] days\n.*Create the next one now/,
    ],
    [
      'a secret that expires later',
      { environment: { CLIENT_SECRET_EXPIRES: later } },
      0,
      'ok credential',
      /it ends in 3 months/,
    ],
    [
      'an unknown scope',
      { refusal: { code: 500011, error: 'invalid_resource' } },
      3,
      'WRONG scope',
      /AADSTS500011.*\n.*Check the scope/,
    ],
    [
      'a client without an assignment',
      { refusal: { code: 501051, error: 'invalid_grant' } },
      3,
      'WRONG roles',
      /AADSTS501051.*\n.*Grant this client a role.*\n +See docs\/.*#403-/,
    ],
    [
      'a client without roles',
      { token: tokenWith() },
      4,
      'WRONG roles',
      /the token lacks CallHiApiRole, CallHelloApiRole.* \(it contains no role\)\n +Grant admin consent\. If .*request this first\.\n +See docs\/.*#403-/,
    ],
    [
      'a client with one role',
      { token: tokenWith(['CallHiApiRole']) },
      4,
      'WRONG roles',
      /lacks CallHelloApiRole.* \(it contains CallHiApiRole\)/,
    ],
    [
      'a token of 10 KB',
      {
        token: tokenWith([
          ...everyRole,
          ...Array.from({ length: 400 }, (_, index) => `Orders.Read.${index}`),
        ]),
      },
      0,
      'warn size',
      /the token has 9\.\d KB: many proxies, such as nginx and Apache, refuse a header field above 8 KB\n +Grant fewer roles/,
    ],
    [
      'a token of 16 KB',
      {
        token: tokenWith([
          ...everyRole,
          ...Array.from({ length: 672 - everyRole.length }, (_, index) => `Orders.Read.${index}`),
        ]),
        api: (request, response) =>
          answering(request.headers.authorization ? 431 : 200, {})(request, response),
      },
      1,
      'warn size',
      /Orders\.Read\.\d and 662 more\n(.*\n)*.*the token has 15\.\d KB: Node and the greeting API refuse header fields above 16 KB in all\n +Grant fewer roles(.*\n)*WRONG +hi .*431.*\n +The token contains too many roles/,
    ],
    [
      'a token of 20 KB',
      { token: tokenWith(Array.from({ length: 900 }, (_, index) => `Orders.Read.${index}`)) },
      1,
      'WRONG client',
      /its access_token has \d{5} characters, more than 16384\n +The token contains too many roles/,
    ],
    ['an opaque token', { token: 'opaque' }, 0, '- roles', /not a JWT/],
    [
      'a busy identity provider',
      { refusal: { code: 90055, error: 'temporarily_unavailable' } },
      5,
      'WRONG client',
      /could not answer/,
    ],
    [
      'an API that refuses the token',
      {
        api: (request, response) =>
          answering(request.url === '/healthz' ? 200 : 401, {})(request, response),
      },
      3,
      'WRONG hi',
      /does not accept the token.*\n.*trusts this identity provider.*\n +See docs\/.*#401-/,
    ],
    [
      'missing settings',
      { environment: { TENANT_ID: '', CLIENT_SECRET: '' } },
      2,
      'WRONG settings',
      /TENANT_ID.*CLIENT_SECRET is missing.*\n.*greeting start/,
    ],
  ]
  for (const [what, faults, expected, mark, says] of rows) {
    it(`finds ${what}`, async (test) => {
      const { code, out } = await examined(test, faults)
      assert.ok(marksOf(out).includes(mark), out)
      assert.match(out, says)
      assert.equal(code, expected)
    })
  }

  for (const [name, step] of [
    ['AUTH_URL', 'identity provider'],
    ['BASE_URL', 'API'],
  ] as const) {
    it(`reports that no program listens at ${name}`, async (test) => {
      const { code, out } = await examined(test, {
        environment: { [name]: await unreachableUrl() },
      })
      assert.equal(code, 5)
      assert.ok(marksOf(out).includes(`WRONG ${step}`), out)
      assert.match(
        out,
        /is not reachable: no program listens on this port \(ECONNREFUSED\)\n.*Start it.*\n +See docs\/.*#connections/,
      )
    })
  }

  it('warns if other users can read the settings file (CL6)', async (test) => {
    const file = join(freshFolder(), 'client.env')
    writeFileSync(file, `CLIENT_SECRET=${canary}\n`)
    chmodSync(file, 0o644)
    const { code, out } = await examined(test, {}, ['--settings', file])
    assert.equal(code, 0)
    assert.match(out, /^warn +settings +other users can read .*\n +chmod 600 /m)
  })

  it('prints JSON with --json', async (test) => {
    const { code, out } = await examined(test, { token: tokenWith() }, ['--json'])
    const { healthy, exitCode, checks } = JSON.parse(out)
    assert.deepEqual([code, healthy, exitCode], [4, false, 4])
    assert.equal(checks.length, 12 + Object.keys(greetings).length)
    assert.equal(checks[8].state, 'wrong')
  })
})
