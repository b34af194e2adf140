import assert from 'node:assert/strict'
import { connect as connectTo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { mcpGuard } from '../../src/adapters/mcp.ts'
import { createGuard, type GuardEvent } from '../../src/index.ts'
import { VirtualRuntime } from '../fakes/virtual-runtime.ts'
import {
  clientApplicationId,
  keySetOf,
  optionsWith,
  type Role,
  TokenFactory,
} from '../token-factory.ts'
import {
  mcpClients,
  mcpServers,
  metadataUrl,
  optionsOf,
  scope,
  selfProviding,
} from './mcp-servers.ts'
import type { Running } from './servers.ts'

const forge = new TokenFactory('key-1')
const both = forge.token()
const hiOnly = forge.token({ roles: ['CallHiApiRole'] })
const noRoles = forge.token({ roles: undefined })

/** What the token exchange of agent identities issues: the blueprint's T1. */
const exchangeToken = forge.token({ aud: 'fb60f99c-7a34-4190-8149-302f77469936', roles: undefined })

const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
const post = (url: string, body: BodyInit, token: string | undefined, headers = {}) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...accept, ...headers, ...(token && { authorization: `Bearer ${token}` }) },
    body,
  })

const message = (method: string, params: unknown = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const callOf = (name: unknown) => message('tools/call', { name })
const hi = JSON.stringify(callOf('hi'))
const hello = JSON.stringify(callOf('hello'))
const members = (count: number) => Array.from({ length: count }, (_, at) => `"a${at}":1`).join()
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

/** Bodies of a caller with the role of `hi` only. Each runs nothing. */
const hostile: readonly [name: string, body: BodyInit, status: number][] = [
  ['another tool', hello, 403],
  ['a tool without a row', JSON.stringify(callOf('forgotten')), 403],
  ['a tool in another case', JSON.stringify(callOf('HELLO')), 403],
  ['a tool with a space', JSON.stringify(callOf('hello ')), 403],
  ['a list as the tool name', JSON.stringify(callOf(['hello'])), 403],
  ['an inherited member name as the tool name', JSON.stringify(callOf('constructor')), 403],
  ['a call without a tool name', JSON.stringify(message('tools/call')), 403],
  ['positional parameters', JSON.stringify(message('tools/call', ['hello'])), 403],
  ['a call without an ID', JSON.stringify({ ...callOf('hello'), id: undefined }), 403],
  ['the method in another case', JSON.stringify(message('Tools/Call', { name: 'hello' })), 403],
  ['a method without a row', JSON.stringify(message('resources/read', { uri: 'a:b' })), 403],
  ['a batch with another tool', JSON.stringify([callOf('hi'), callOf('hello')]), 403],
  ['a batch of 101 messages', JSON.stringify(Array(101).fill(callOf('hi'))), 400],
  ['an empty batch', '[]', 400],
  ['a nested batch', JSON.stringify([[callOf('hello')]]), 400],
  ['a call that claims to be a response', JSON.stringify({ ...callOf('hello'), result: {} }), 403],
  [
    'a method that is not a string',
    JSON.stringify({ ...callOf('hello'), method: ['tools/call'] }),
    400,
  ],
  ['a message without method and result', '{"jsonrpc":"2.0","id":1}', 400],
  ['an inherited method', `{"__proto__":${hello}}`, 400],
  ['an inherited tool name', hi.replace('{"name":"hi"}', '{"__proto__":{"name":"hello"}}'), 403],
  ['invalid JSON', hello.slice(1), 400],
  ['no body', '', 400],
]

/** Bodies that two parsers read differently. The parser of Express has read them before the guard. */
const ambiguous: readonly [name: string, body: BodyInit][] = [
  ['two tool names', hi.replace('"name":"hi"', '"name":"hi","name":"hello"')],
  ['two methods', hi.replace('"id":1', '"id":1,"method":"ping"')],
  ['two names, one of which is escaped', hi.replace('"name"', '"n\\u0061me":"hello","name"')],
  ['a byte order mark', `\ufeff${hello}`],
  ['bytes that are not UTF-8', Buffer.from(hello.replace('hello', 'hello\xff'), 'latin1')],
  ['UTF-16', Buffer.from(hello, 'utf16le')],
  ['20,001 members', hi.replace('"name"', `${members(19_997)},"name"`)],
  ['33 levels', JSON.stringify(callOf('hi')).replace('"hi"', nested(33))],
  ['100,000 levels', nested(100_000)],
  ['a body above 1 MiB', hi.replace('"hi"', `"${'x'.repeat(1024 * 1024)}"`)],
  ['a body of 4 MB', JSON.stringify(Array(60_000).fill(callOf('hello')))],
]

for (const [server, start] of Object.entries(mcpServers)) {
  describe(`an MCP server on ${server}`, () => {
    const events: GuardEvent[] = []
    const listener = (event: GuardEvent) => events.push(event)
    const guard = createGuard(optionsWith({ listener }), new VirtualRuntime(keySetOf(forge)))
    let running: Running
    before(async () => {
      running = await start(guard)
    })
    after(() => running.stop())

    for (const [client, connect] of Object.entries(mcpClients)) {
      // Only SDK v2 serves this wire.
      if (client.includes('2026') && !server.includes('v2')) continue
      describe(`with a client on ${client}`, () => {
        let requests = 0
        const counted: typeof fetch = (...of) => {
          requests += 1
          return fetch(...of)
        }

        it("shows and runs the caller's tools, and passes on the caller", async () => {
          const one = await connect(`${running.url}/mcp`, both, counted)
          assert.deepEqual(await one.list(), ['forgotten', 'hi', 'hello', 'whoami'])
          assert.equal(await one.call('hi'), 'Hi')
          assert.equal(await one.call('hello'), 'Hello')
          assert.equal(await one.call('whoami'), clientApplicationId)
          await one.close()
        })

        it('hides a tool if its role is missing, and refuses it with 403 in one request', async () => {
          const one = await connect(`${running.url}/mcp`, hiOnly, counted)
          assert.deepEqual(await one.list(), ['forgotten', 'hi', 'whoami'])
          assert.equal(await one.call('hi'), 'Hi')
          requests = 0
          await assert.rejects(one.call('hello'), /403|access_denied|scope/)
          assert.equal(requests, 1)
          await one.close()
        })

        it('fails with 503 in one request, and not with 401, while there are no keys', async () => {
          const down = () => new Response('', { status: 500 })
          const blind = await start(createGuard(optionsWith(), new VirtualRuntime(down)))
          requests = 0
          await assert.rejects(
            connect(`${blind.url}/mcp`, both, counted),
            /temporarily_unavailable|503/,
          )
          await blind.stop()
          assert.equal(requests, 1)
        })
      })
    }

    for (const [client, connect] of Object.entries(selfProviding)) {
      it(`lets ${client} with its own token provider repeat a call once after a 403`, async () => {
        let calls = 0
        const counted: typeof fetch = (input, init) => {
          if (String(init?.body).includes('tools/call')) calls += 1
          return fetch(input, init)
        }
        const one = await connect(running.url, hiOnly, counted)
        assert.equal(await one.call('hi'), 'Hi')
        calls = 0
        await assert.rejects(one.call('hello'), /403/)
        assert.equal(calls, 2)
        await one.close()
      })
    }

    const refusals: [name: string, token: string | undefined, status: number, error: string][] = [
      ['without a token', undefined, 401, ''],
      ['with a T1 of the token exchange', exchangeToken, 401, 'error="invalid_token"'],
      ['with a token for another audience', forge.token({ aud: 'api://x' }), 401, 'invalid_token'],
      ['without the role of the tool', noRoles, 403, 'error="insufficient_scope"'],
    ]
    for (const [name, token, status, error] of refusals) {
      it(`responds to a request ${name} with ${status}, metadata and a scope that names no role (RS30)`, async () => {
        const response = await post(running.url, hi, token)
        const challenge = response.headers.get('www-authenticate') ?? ''
        assert.equal(response.status, status)
        assert.ok(challenge.startsWith('Bearer realm="mcp"') && challenge.includes(error))
        assert.ok(challenge.includes(`scope="${scope}", resource_metadata="${metadataUrl}"`))
        assert.doesNotMatch(challenge + (await response.text()), /Call\w+Role/)
      })
    }

    it('describes the server without a token', async () => {
      const response = await fetch(running.url + new URL(metadataUrl).pathname)
      const document = await response.json()
      assert.equal(response.headers.get('content-type'), 'application/json')
      assert.equal(document.resource, 'https://mcp.example/mcp')
      assert.deepEqual(document.scopes_supported, [scope])
    })

    it('responds with 503 and retry-after, without a challenge, while there are no keys', async () => {
      const down = () => new Response('', { status: 500 })
      const blind = await start(createGuard(optionsWith(), new VirtualRuntime(down)))
      const response = await post(blind.url, hi, both)
      await blind.stop()
      assert.equal(response.status, 503)
      assert.equal(response.headers.get('retry-after'), '1')
      assert.equal(response.headers.has('www-authenticate'), false)
    })

    it('names the missing role if the options permit it', async () => {
      const naming = await start(guard, { namesMissingRole: true })
      const response = await post(naming.url, hello, hiOnly)
      await naming.stop()
      const description = 'The role CallHelloApiRole is missing'
      assert.match(response.headers.get('www-authenticate') ?? '', new RegExp(description))
      assert.equal((await response.json()).error_description, description)
    })

    it('admits a method with a row in the table', async () => {
      const reading = await start(guard, { methods: { 'resources/read': 'CallHiApiRole' } })
      const body = JSON.stringify(message('resources/read', { uri: 'a:b' }))
      assert.equal((await post(reading.url, body, hiOnly)).status, 200)
      assert.equal((await post(reading.url, body, noRoles)).status, 403)
      await reading.stop()
    })

    it('admits a batch of callable tools, and a notification', async () => {
      const batch = JSON.stringify([callOf('hi'), { ...callOf('hi'), id: 2 }])
      assert.equal((await post(running.url, batch, hiOnly)).status, 200)
      const notification = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}'
      assert.notEqual((await post(running.url, notification, hiOnly)).status, 403)
    })

    for (const [name, body, status] of hostile) {
      it(`refuses ${name} with ${status}`, async () => {
        const response = await post(running.url, body, hiOnly)
        assert.equal(response.status, status, await response.clone().text())
        assert.doesNotMatch(await response.text(), /Hello|open/)
      })
    }

    for (const [name, body] of ambiguous) {
      it(`refuses ${name}`, async () => {
        const response = await post(running.url, body, hiOnly)
        if (!server.includes('after a parser')) assert.equal(response.status, 400)
        assert.doesNotMatch(await response.text(), /"Hello"|open/)
      })
    }

    it('answers the next request on a connection after it refuses a body', async () => {
      const body = 'x'.repeat(4 * 1024 * 1024)
      const fields = `host: a\r\nauthorization: Bearer ${hiOnly}\r\ncontent-length: ${body.length}`
      const socket = connectTo(Number(new URL(running.url).port), '127.0.0.1')
      socket.write(`POST /mcp HTTP/1.1\r\n${fields}\r\n\r\n${body}`)
      socket.write('GET /mcp HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
      const statuses = (await text(socket)).match(/HTTP\/1\.1 \d{3}/g)
      assert.deepEqual(statuses, ['HTTP/1.1 400', 'HTTP/1.1 401'])
    })

    for (const method of ['GET', 'DELETE', 'PUT', 'HEAD', 'OPTIONS']) {
      it(`requires a token for ${method}`, async () => {
        assert.equal((await fetch(`${running.url}/mcp`, { method })).status, 401)
      })
    }

    it('permits only the methods of the protocol', async () => {
      const headers = { authorization: `Bearer ${both}` }
      const response = await fetch(`${running.url}/mcp`, { method: 'PUT', headers, body: hello })
      assert.equal(response.status, 405)
      assert.equal(response.headers.get('allow'), 'GET, POST, DELETE')
    })

    it('reports the reason for a refusal', async () => {
      events.length = 0
      await post(running.url, hello, hiOnly)
      const refused = events.flatMap((event) => (event.type === 'refused' ? [event.reason] : []))
      assert.deepEqual(refused, ['role_missing'])
    })
  })
}

describe('mcpGuard', () => {
  const guard = createGuard(optionsWith(), new VirtualRuntime(keySetOf(forge)))

  it('runs any Web handler with the caller and the parsed body', async () => {
    const mcp = mcpGuard(guard, optionsOf())
    const fetch = mcp.fetch((_, options) => Response.json(options))
    const request = new Request('https://mcp.example/mcp', {
      method: 'POST',
      headers: { authorization: `Bearer ${hiOnly}` },
      body: hi,
    })
    const { authInfo, parsedBody } = await (await fetch(request)).json()
    assert.deepEqual(parsedBody, callOf('hi'))
    assert.equal(authInfo.token, hiOnly)
    assert.equal(authInfo.clientId, clientApplicationId)
    assert.deepEqual(authInfo.scopes, [scope])
    assert.equal(authInfo.resource, 'https://mcp.example/mcp')
    assert.equal(authInfo.expiresAt, authInfo.extra.caller.expiresAt)
    assert.deepEqual(authInfo.extra.caller.roles, ['CallHiApiRole'])
  })

  it('calls no Web handler if the body is hostile or ambiguous', async () => {
    const fetch = mcpGuard(guard, optionsOf()).fetch(() => assert.fail('was called'))
    const headers = { authorization: `Bearer ${hiOnly}` }
    for (const [name, body, status = 400] of [...hostile, ...ambiguous]) {
      const request = new Request('https://mcp.example/mcp', { method: 'POST', headers, body })
      assert.equal((await fetch(request)).status, status, name)
    }
  })

  it('responds with 400 to a body that ends early', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('cut')) })
    const headers = { authorization: `Bearer ${both}` }
    const init = { method: 'POST', headers, body, duplex: 'half' }
    const fetch = mcpGuard(guard, optionsOf()).fetch(() => new Response())
    assert.equal((await fetch(new Request('https://mcp.example/mcp', init))).status, 400)
  })

  it('accepts 20,000 members', async () => {
    const fetch = mcpGuard(guard, optionsOf()).fetch(() => new Response())
    const body = hi.replace('"name"', `${members(19_995)},"name"`)
    const headers = { authorization: `Bearer ${hiOnly}` }
    const request = new Request('https://mcp.example/mcp', { method: 'POST', headers, body })
    assert.equal((await fetch(request)).status, 200)
  })

  it('hides every tool if there is no caller', () => {
    let hidden = 0
    const tool = { disable: () => (hidden += 1) }
    mcpGuard(guard, optionsOf()).hideTools(undefined, { hi: tool, hello: tool, whoami: tool })
    assert.equal(hidden, 3)
  })

  const invalid: [name: string, changes: object, message: RegExp][] = [
    ['a misspelt role of a tool', { tools: { hi: 'CallHiRole' } }, /no role CallHiRole/],
    ['a misspelt role of a method', { methods: { 'a/b': 'X' } }, /no role X/],
    ['a role as a scope', { scopes: ['CallHiApiRole' satisfies Role] }, /scopes must be/],
    ['a scope with a quote', { scopes: ['a"b'] }, /scopes must be/],
    ['no scope', { scopes: [] }, /scopes must be/],
  ]
  for (const [name, changes, expected] of invalid) {
    it(`refuses ${name} at start`, () => {
      assert.throws(() => mcpGuard(guard, optionsOf(changes)), expected)
    })
  }
})
