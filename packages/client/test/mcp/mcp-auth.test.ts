import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { agentIdentity } from '../../src/credentials/agent-identity.ts'
import { clientSecret } from '../../src/credentials/credential.ts'
import { type McpAuthOptions, mcpAuth } from '../../src/mcp/mcp-auth.ts'
import {
  type Answer,
  grant,
  json,
  refusal,
  type SentRequest,
  text,
  VirtualRuntime,
} from '../fakes/virtual-runtime.ts'

const serverUrl = 'https://mcp.example/mcp'
const issuer = 'https://login.example/tenant/v2.0'
const tokenEndpoint = 'https://login.example/tenant/token'
const resourceMetadata = 'https://mcp.example/.well-known/oauth-protected-resource/mcp'
const issuerMetadata = 'https://login.example/.well-known/oauth-authorization-server/tenant/v2.0'
const challengeOf = (rest: string) => ({ 'www-authenticate': `Bearer ${rest}` })
const challenge = challengeOf(`resource_metadata="${resourceMetadata}", scope="of-challenge"`)

const described = {
  resource: serverUrl,
  authorization_servers: ['https://other.example', issuer],
  scopes_supported: ['one', 'two'],
}
const published = {
  issuer,
  token_endpoint: tokenEndpoint,
  token_endpoint_auth_methods_supported: ['client_secret_post'],
}

type World = Readonly<Record<string, Answer>>

/** Servers with one answer for each URL. The MCP server admits the tokens that are not refused. */
const world = (answers: World = {}, refused: readonly string[] = [], headers = challenge) => {
  let number = 0
  const all: World = {
    [serverUrl]: (request, signal) => {
      const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? ''
      const isAdmitted = token !== '' && !refused.includes(token)
      return (isAdmitted ? text(200, token) : json(401, {}, headers))(request, signal)
    },
    [resourceMetadata]: json(200, described),
    [issuerMetadata]: json(200, published),
    [tokenEndpoint]: (request, signal) => {
      number += 1
      return grant(`t${number}`)(request, signal)
    },
    ...answers,
  }
  return new VirtualRuntime((request, signal) =>
    (all[request.url] ?? text(404, 'no'))(request, signal),
  )
}

const authIn = ({ runtime }: VirtualRuntime, options: Partial<McpAuthOptions> = {}) =>
  mcpAuth({
    serverUrl,
    expectedIssuer: issuer,
    clientId: 'client-id',
    credential: clientSecret('secret-value'),
    runtime,
    ...options,
  })

const urlsOf = ({ sent }: VirtualRuntime) => sent.map(({ url }) => url)
const formsOf = ({ sent }: VirtualRuntime) =>
  sent
    .filter(({ url }) => url === tokenEndpoint)
    .map(({ form }) => ({ scope: form.get('scope'), resource: form.get('resource') }))

/** A server that refuses `resource` as Entra ID does. */
const refusing =
  (code: number, error: string): Answer =>
  (request: SentRequest, signal) =>
    (request.form.has('resource') ? refusal(error, code, 400) : grant('t1'))(request, signal)

describe('mcpAuth', () => {
  it('requests a token when the server sends a challenge, and keeps it', async () => {
    const environment = world()
    const auth = authIn(environment)
    assert.equal(await auth.token(), undefined)
    assert.equal(await (await auth.fetch(serverUrl)).text(), 't1')
    assert.equal(await (await auth.fetch(serverUrl)).text(), 't1')
    const discovery = [serverUrl, resourceMetadata, issuerMetadata, tokenEndpoint, serverUrl]
    assert.deepEqual(urlsOf(environment), [...discovery, serverUrl])
    assert.equal(await auth.token(), 't1')
  })

  it('repeats the method, the headers and the body once with a new token', async () => {
    const environment = world({}, ['t1', 't2'])
    const auth = authIn(environment)
    const bodies: unknown[] = []
    const runtime = {
      ...environment.runtime,
      fetch: ((url, init) => {
        if (url === serverUrl) bodies.push([init?.method, String(init?.body?.constructor.name)])
        return environment.runtime.fetch(url, init)
      }) as typeof fetch,
    }
    const observed = authIn(environment, { runtime })
    const request = new Request(serverUrl, { method: 'POST', body: '{}' })
    assert.equal((await observed.fetch(request)).status, 401)
    assert.deepEqual(bodies, [
      ['POST', 'ArrayBuffer'],
      ['POST', 'ArrayBuffer'],
    ])
    assert.equal((await observed.fetch(serverUrl)).status, 401)
    assert.equal(formsOf(environment).length, 2)
    assert.equal(await (await observed.fetch(serverUrl)).text(), 't3')
    assert.equal(await auth.token(), undefined)
  })

  it('does not repeat a 403', async () => {
    const answer = json(403, {}, challengeOf('error="insufficient_scope", scope="more"'))
    const environment = world({ [serverUrl]: answer })
    assert.equal((await authIn(environment).fetch(serverUrl)).status, 403)
    assert.equal(environment.sent.length, 1)
  })

  it('shares one discovery between simultaneously refused requests', async () => {
    const environment = world()
    const auth = authIn(environment)
    await Promise.all([auth.fetch(serverUrl), auth.fetch(serverUrl), auth.fetch(serverUrl)])
    assert.equal(urlsOf(environment).filter((url) => url === resourceMetadata).length, 1)
    assert.equal(formsOf(environment).length, 1)
  })

  it('sends the token only to its server', async () => {
    const environment = world()
    const auth = authIn(environment)
    await auth.fetch(serverUrl)
    const before = environment.sent.length
    await assert.rejects(auth.fetch('https://other.example/mcp'), TypeError)
    assert.equal(environment.sent.length, before)
  })

  const scopes: readonly (readonly [string, string | undefined, string, string])[] = [
    ['from the option', 'of-option', 'scope="of-challenge"', 'of-option'],
    ['from the challenge without an option', undefined, 'scope="of-challenge"', 'of-challenge'],
    ['from the metadata without either', undefined, 'realm="x"', 'one two'],
  ]
  for (const [what, scope, said, expected] of scopes) {
    it(`requests the scope ${what}`, async () => {
      const environment = world({}, [], challengeOf(said))
      await authIn(environment, scope ? { scope } : {}).fetch(serverUrl)
      assert.deepEqual(formsOf(environment), [{ scope: expected, resource: serverUrl }])
    })
  }

  const parameters: readonly (readonly [
    McpAuthOptions['resourceParameter'],
    string,
    Answer,
    readonly (string | null)[],
  ])[] = [
    ['always', 'sends it', grant('t1'), [serverUrl]],
    ['never', 'sends none', grant('t1'), [null]],
    ['if-accepted', 'sends it', grant('t1'), [serverUrl]],
    ['if-accepted', 'omits it permanently', refusing(9010010, 'invalid_target'), [serverUrl, null]],
    ['if-accepted', 'omits it', refusing(901002, 'invalid_request'), [serverUrl, null]],
  ]
  for (const [resourceParameter, what, answer, expected] of parameters) {
    it(`with the resource parameter ${resourceParameter}, ${what}`, async () => {
      const environment = world({ [tokenEndpoint]: answer }, ['t0'])
      const auth = authIn(environment, {
        scope: 's',
        ...(resourceParameter && { resourceParameter }),
      })
      const answers = await Promise.all([auth.fetch(serverUrl), auth.fetch(serverUrl)])
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      )
      assert.deepEqual(
        formsOf(environment).map(({ resource }) => resource),
        expected,
      )
    })
  }

  it('returns the token without a resource to a caller that waited for the refused request', async () => {
    const waiting: Promise<string | undefined>[] = []
    const refuse = refusing(9010010, 'invalid_target')
    const environment = world({
      [tokenEndpoint]: (request, signal) => {
        if (request.form.has('resource')) waiting.push(auth.token())
        return refuse(request, signal)
      },
    })
    const auth = authIn(environment, { scope: 's' })
    await auth.fetch(serverUrl)
    assert.deepEqual(await Promise.all(waiting), ['t1'])
  })

  it("names the server in the agent's request, but not in the blueprint's request", async () => {
    const environment = world()
    const blueprint = { blueprintId: 'blueprint', credential: clientSecret('secret-value') }
    const credential = agentIdentity({ ...blueprint, agentId: 'agent' })
    const auth = authIn(environment, { clientId: 'agent', credential, scope: 's' })
    assert.equal(await (await auth.fetch(serverUrl)).text(), 't2')
    assert.deepEqual(formsOf(environment), [
      { scope: 'api://AzureADTokenExchange/.default', resource: null },
      { scope: 's', resource: serverUrl },
    ])
  })

  it('names the remedy if Entra ID refuses a mandatory resource', async () => {
    const environment = world({ [tokenEndpoint]: refusing(9010010, 'invalid_target') })
    await assert.rejects(authIn(environment).fetch(serverUrl), {
      code: 'token_refused',
      remedy: /`resourceParameter` of mcpAuth\(\) to never/,
    })
    assert.equal(formsOf(environment).length, 1)
  })

  const post = { method: 'POST', body: 'the message' }
  for (const status of [301, 302, 307, 308])
    for (const init of [post, {}])
      it(`sends no ${init === post ? 'body' : 'request'} to another server after ${status}`, async () => {
        const elsewhere = { location: 'https://other.example/mcp' }
        const environment = world({ [serverUrl]: json(status, {}, elsewhere) })
        const outcome = await authIn(environment)
          .fetch(serverUrl, init)
          .then(
            (response) => response.status,
            ({ message }: Error) => message,
          )
        const isAnswer = init === post && status < 307
        assert.equal(
          outcome,
          isAnswer
            ? status
            : 'https://mcp.example redirects to another server, which is not followed',
        )
        assert.deepEqual(urlsOf(environment), [serverUrl])
      })

  it('follows at most five redirects within the same server', async () => {
    const environment = world({
      [serverUrl]: json(307, {}, { location: '/moved' }),
      'https://mcp.example/moved': text(200, 'moved'),
      'https://mcp.example/loop': json(307, {}, { location: '/loop' }),
    })
    const auth = authIn(environment)
    assert.equal(await (await auth.fetch(serverUrl, post)).text(), 'moved')
    assert.equal((await auth.fetch('https://mcp.example/loop', post)).status, 307)
    assert.equal(urlsOf(environment).filter((url) => url.endsWith('/loop')).length, 6)
    const manual = await auth.fetch(serverUrl, { ...post, redirect: 'manual' })
    assert.equal(manual.status, 307)
  })

  const faults: readonly (readonly [string, Partial<McpAuthOptions>, RegExp])[] = [
    ['no issuer', { expectedIssuer: '' }, /`expectedIssuer` must be an https URL/],
    [
      'a server URL without TLS',
      { serverUrl: 'http://mcp.example' },
      /`serverUrl` must be an https/,
    ],
    ['an unknown parameter', { resourceParameter: 'x' as never }, /'always' or 'never' or/],
    ['neither a scope nor a resource', { resourceParameter: 'never' }, /`scope` is required with/],
    [
      "another client's credential",
      { credential: { ...clientSecret('secret-value'), clientId: 'other' } },
      /mcpAuth: `clientId` must be the client of the credential/,
    ],
  ]
  for (const [what, options, message] of faults) {
    it(`is refused with ${what}`, () => {
      assert.throws(() => authIn(world(), options), { name: 'TypeError', message })
    })
  }
})
