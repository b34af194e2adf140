import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  agentIdentity,
  clientSecret,
  createGreetingClient,
  createTokenSource,
  fetchWithToken,
} from '../src/index.ts'
import { mcpAuth } from '../src/mcp/index.ts'

const good = {
  authority: 'https://login.example/tenant',
  clientId: 'client-id',
  credential: clientSecret('secret-value'),
  scope: 'api://api-id/.default',
}

const faultOf = (options: object): string => {
  try {
    createTokenSource(options as typeof good)
  } catch (error) {
    assert.ok(error instanceof TypeError)
    return error.message
  }
  return 'no fault'
}

describe('a Node version before 22', () => {
  const calls: Readonly<Record<string, () => unknown>> = {
    createTokenSource: () => createTokenSource(good),
    createGreetingClient: () =>
      createGreetingClient({ baseUrl: 'http://localhost', tokens: createTokenSource(good) }),
    fetchWithToken: () => fetchWithToken({} as never),
    agentIdentity: () => agentIdentity({} as never),
    mcpAuth: () => mcpAuth({} as never),
  }
  for (const [name, call] of Object.entries(calls)) {
    it(`causes a one-sentence error in ${name}`, (t) => {
      const { withResolvers } = Promise
      t.after(() => Object.assign(Promise, { withResolvers }))
      Object.assign(Promise, { withResolvers: undefined })
      assert.throws(call, {
        name: 'TypeError',
        message: `@greeting/client needs Node 22 or newer, and this is ${process.version}`,
      })
    })
  }
})

describe('the options', () => {
  it('are accepted when they are valid', () => {
    assert.equal(faultOf(good), 'no fault')
  })

  const rows: readonly (readonly [string, object, RegExp])[] = [
    ['an unknown option', { ...good, scopes: 'x' }, /`scopes` is not an option/],
    ['a missing option', { ...good, clientId: undefined }, /`clientId` is required: a string that/],
    [
      'an empty option',
      { ...good, clientId: ' ' },
      /`clientId` must be a string that is not empty/,
    ],
    ['a string as a credential', { ...good, credential: 'canary' }, /`credential` must be an/],
    ['neither authority nor endpoint', { ...good, authority: undefined }, /either `authority` or/],
    [
      'both authority and endpoint',
      { ...good, tokenEndpoint: 'https://x.example/' },
      /either `authority` or/,
    ],
    ['a margin out of bounds', { ...good, marginSeconds: 3601 }, /a number from 0 to 3600/],
    ['an invalid deadline', { ...good, deadlineMs: Number.NaN }, /`deadlineMs` must be/],
    [
      'a limit below 1',
      { ...good, maxRequestsInFlight: 0 },
      /`maxRequestsInFlight` must be a whole number from 1 to 1000/,
    ],
    ['a limit above 1000', { ...good, maxRequestsInFlight: 1001 }, /`maxRequestsInFlight` must be/],
    [
      'half a request as a limit',
      { ...good, maxRequestsInFlight: 1.5 },
      /`maxRequestsInFlight` must be/,
    ],
    ['a value that is not an object', 'x' as unknown as object, /the options must be an object/],
    [
      'http (CL1)',
      { ...good, authority: 'http://login.example' },
      /`authority` must be an https URL/,
    ],
    [
      'a host like localhost (CL1)',
      { ...good, authority: 'http://localhost.evil.example' },
      /`authority`/,
    ],
    ['another scheme (CL1)', { ...good, authority: 'ftp://login.example' }, /`authority` must be/],
    [
      'a password in the URL',
      { ...good, authority: 'https://u:p@login.example' },
      /`authority` must be/,
    ],
    [
      'a query in the URL',
      { ...good, authority: 'https://login.example/t?x' },
      /`authority` must be/,
    ],
    ...[
      'https://login.example',
      'https://login.example/',
      'https://login.example/tenant/v2.0',
      'https://login.example/tenant/v2.0/',
      'https://login.example/tenant/oauth2/v2.0/token',
      'https://login.example/tenant/oauth2/token/',
    ].map(
      (authority) =>
        [
          `an authority that is no tenant: ${authority}`,
          { ...good, authority },
          /`authority` must be .* that ends with the tenant, such as .*, without \/v2\.0/,
        ] as const,
    ),
  ]
  for (const [what, options, fault] of rows) {
    it(`are refused with ${what}`, () => {
      assert.match(faultOf(options), fault)
      assert.doesNotMatch(faultOf(options), /canary/)
    })
  }

  for (const authority of [
    'http://localhost:4000/t',
    'http://127.0.0.1:4000/t',
    'http://[::1]/t',
  ]) {
    it(`accept ${authority}, which never leaves the machine (CL1)`, () => {
      assert.equal(faultOf({ ...good, authority }), 'no fault')
    })
  }

  it('are refused with a list of all errors', () => {
    assert.match(faultOf({ scoop: 1 }), /scoop.*clientId.*credential.*scope/)
  })

  it('are also validated for the greeting client', () => {
    const options = { baseUrl: 'http://api.example', tokens: {} }
    assert.throws(() => createGreetingClient(options as never), /`baseUrl` .*; `tokens` must be/)
  })

  it('must not contain an empty secret', () => {
    assert.throws(() => clientSecret(''), TypeError)
  })
})
