import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { clientSecret } from '../../src/credentials/credential.ts'
import { mcpAuth } from '../../src/mcp/mcp-auth.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const sends =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Handler =>
  (_request, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))

/** The MCP server and its authorization server, as one listener. */
const paths = {
  resource: '/.well-known/oauth-protected-resource/mcp',
  first: '/.well-known/oauth-authorization-server/tenant',
  second: '/.well-known/openid-configuration/tenant',
  third: '/tenant/.well-known/openid-configuration',
}
const asked: string[] = []
let handlers: Readonly<Record<string, Handler>> = {}
let origin = ''

const server = createServer((request, response) => {
  asked.push(request.url ?? '')
  const { authorization } = request.headers
  if (request.url === '/mcp')
    sends('', authorization === 'Bearer t1' ? 200 : 401)(request, response)
  else (handlers[request.url ?? ''] ?? sends('no', 404))(request, response)
})

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => server.close())
const described = () => ({ resource: `${origin}/mcp`, authorization_servers: [`${origin}/tenant`] })
const published = () => ({ issuer: `${origin}/tenant`, token_endpoint: `${origin}/token` })

/** Calls the MCP server with some answers replaced. */
async function call(replaced: Readonly<Record<string, Handler>>) {
  handlers = {
    [paths.resource]: sends(described()),
    [paths.first]: sends(published()),
    '/token': sends({ token_type: 'Bearer', expires_in: 3599, access_token: 't1' }),
    ...replaced,
  }
  const auth = mcpAuth({
    serverUrl: `${origin}/mcp`,
    expectedIssuer: `${origin}/tenant`,
    clientId: 'client-id',
    credential: clientSecret('secret-value'),
  })
  return auth.fetch(`${origin}/mcp`)
}

describe("an MCP server's metadata", () => {
  beforeEach(() => {
    asked.length = 0
  })

  const places: readonly (readonly [string, (keyof typeof paths)[], string])[] = [
    ['RFC 8414', ['first'], paths.first],
    ['OpenID Connect with the path last', ['first', 'second'], paths.second],
    ['OpenID Connect with the path first', ['first', 'second', 'third'], paths.third],
  ]
  for (const [what, order, found] of places) {
    it(`includes its issuer's metadata at the location of ${what}`, async () => {
      const answers = { [paths.first]: sends('no', 404), [found]: sends(published()) }
      assert.equal((await call(answers)).status, 200)
      const expected = [
        '/mcp',
        paths.resource,
        ...order.map((name) => paths[name]),
        '/token',
        '/mcp',
      ]
      assert.deepEqual(asked, expected)
    })
  }

  it('may be at the root for a path above the server', async () => {
    const answers = {
      [paths.resource]: sends('no', 404),
      '/.well-known/oauth-protected-resource': sends({ ...described(), resource: origin }),
    }
    assert.equal((await call(answers)).status, 200)
  })

  const { resource, first } = paths
  const huge = `{"x":"${'x'.repeat(10_000_000)}"}`
  const redirect = (path: string) => sends('', 302, { location: path })
  const faults: readonly (readonly [string, () => Record<string, Handler>, RegExp])[] = [
    [
      'names another issuer',
      () => ({
        [resource]: sends({ ...described(), authorization_servers: ['https://evil.example'] }),
      }),
      /its authorization server is https:\/\/evil\.example, not http/,
    ],
    [
      'names another resource',
      () => ({ [resource]: sends({ ...described(), resource: 'https://evil.example/mcp' }) }),
      /its resource is https:\/\/evil\.example\/mcp, not http/,
    ],
    [
      'names a resource whose path only begins like the server',
      () => ({ [resource]: sends({ ...described(), resource: `${origin}/mc` }) }),
      /its resource is/,
    ],
    ['redirects', () => ({ [resource]: redirect('/other') }), /there is none/],
    ['has 10 MB', () => ({ [resource]: sends(huge) }), /larger than 65536 bytes/],
    ['is not JSON', () => ({ [resource]: sends('<html>') }), /it is not a JSON object/],
    ['is an array', () => ({ [resource]: sends([]) }), /it is not a JSON object/],
    [
      'has strings of wrong types',
      () => ({ [resource]: sends({ resource: 7, authorization_servers: 'x' }) }),
      /its resource is 7/,
    ],
    [
      'names one issuer in the location and another in the document',
      () => ({ [first]: sends({ ...published(), issuer: `${origin}/tenant/` }) }),
      /its issuer is .*\/tenant\/, not/,
    ],
    ['redirects for its issuer', () => ({ [first]: redirect('/other') }), /there is none/],
    ['has 10 MB for its issuer', () => ({ [first]: sends(huge) }), /larger than 65536 bytes/],
    [
      'would send the credential without TLS',
      () => ({ [first]: sends({ ...published(), token_endpoint: 'http://10.0.0.1/token' }) }),
      /its token endpoint is http:\/\/10\.0\.0\.1\/token/,
    ],
    [
      'has no token endpoint for its issuer',
      () => ({ [first]: sends({ issuer: `${origin}/tenant` }) }),
      /its token endpoint is undefined/,
    ],
  ]
  for (const [what, replaced, message] of faults) {
    it(`is refused before a credential is sent if it ${what} (CL3, CL13)`, async () => {
      const answers = { '/other': sends(described()), ...replaced() }
      await assert.rejects(call(answers), { name: 'ClientError', message })
      assert.ok(!asked.includes('/token') && !asked.includes('/other'))
    })
  }

  for (const url of ['http://169.254.169.254/latest', 'https://evil.example/x', 'no URL']) {
    it(`is not read from ${url} if a challenge names it`, async () => {
      const environment = mcpAuth({
        serverUrl: `${origin}/mcp`,
        expectedIssuer: `${origin}/tenant`,
        clientId: 'client-id',
        credential: clientSecret('secret-value'),
      })
      const headers = { 'www-authenticate': `Bearer resource_metadata="${url}"` }
      const response = new Response('', { status: 401, headers })
      await assert.rejects(environment.onUnauthorized({ response }), {
        code: 'api_answer_invalid',
        message: /its challenge names another server/,
      })
      assert.deepEqual(asked, [])
    })
  }

  it('does not lead from a public issuer to a token endpoint on this machine', async () => {
    const issuer = 'https://login.example'
    const auth = mcpAuth({
      serverUrl: `${origin}/mcp`,
      expectedIssuer: issuer,
      clientId: 'client-id',
      credential: clientSecret('secret-value'),
      runtime: {
        fetch: async (input) => {
          const document = String(input).startsWith(issuer)
            ? { issuer, token_endpoint: `${origin}/token` }
            : { resource: origin, authorization_servers: [issuer] }
          return Response.json(document)
        },
      },
    })
    await assert.rejects(auth.onUnauthorized({ response: new Response('', { status: 401 }) }), {
      code: 'authority_answer_invalid',
      message: /its token endpoint is http/,
    })
  })
})
