import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { mcpGuard } from '../../src/adapters/mcp.ts'
import { SessionOwners } from '../../src/adapters/mcp-sessions.ts'
import { createGuard, type Guard } from '../../src/index.ts'
import { VirtualRuntime } from '../fakes/virtual-runtime.ts'
import { keySetOf, optionsWith, type Role, TokenFactory } from '../token-factory.ts'
import { optionsOf } from './mcp-servers.ts'
import { serve } from './servers.ts'

const forge = new TokenFactory('key-1')
const owner = forge.token()
/** The same application with a later token: the session belongs to the caller, not to its token. */
const renewed = forge.token({ roles: ['CallHiApiRole'] })
const other = forge.token({ appid: '6a8b4b39-1111-4222-8333-c0ffee000099', roles: undefined })

type Call = (token: string, method: string, session?: string) => Promise<Response>
type Start = (guard: Guard<Role>, test: TestContext) => Promise<Call>

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
}

function requestOf(token: string, method: string, session?: string): RequestInit {
  return {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(session !== undefined && { 'mcp-session-id': session }),
    },
    ...(method === 'POST' && {
      body: JSON.stringify(session === undefined ? initialize : { ...initialize, method: 'ping' }),
    }),
  }
}

const id = 'session-1'

/** Servers of `node:http` that send the header of a session in each way. */
const writers: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  setHeader: (response) => response.setHeader('Mcp-Session-Id', id).end(),
  'writeHead with an object': (response) => response.writeHead(200, { 'Mcp-Session-Id': id }).end(),
  'writeHead with a list': (response) => response.writeHead(200, ['Mcp-Session-Id', id]).end(),
  'writeHead with a reason': (response) =>
    response.writeHead(200, 'OK', { 'mcp-session-id': id }).end(),
}

const overHttp = async (handler: Parameters<typeof serve>[0], test: TestContext): Promise<Call> => {
  const server = await serve(handler)
  test.after(() => server.stop())
  return (...request) => fetch(`${server.url}/mcp`, requestOf(...request))
}

const servers: Readonly<Record<string, Start>> = {
  'Web requests': async (guard) => {
    const handler = mcpGuard(guard, optionsOf()).fetch(
      () => new Response(null, { headers: { 'mcp-session-id': id } }),
    )
    return async (...request) =>
      handler(new Request('https://mcp.example/mcp', requestOf(...request)))
  },
  ...Object.fromEntries(
    Object.entries(writers).map(([name, write]): [string, Start] => [
      name,
      (guard, test) =>
        overHttp(
          mcpGuard(guard, optionsOf()).listener((_, response) => void write(response)),
          test,
        ),
    ]),
  ),
  'sessions of SDK v1': (guard, test) => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
    })
    transport.onmessage = (message) => {
      if ('id' in message) void transport.send({ jsonrpc: '2.0', id: message.id ?? 0, result: {} })
    }
    test.after(() => transport.close())
    const listener = mcpGuard(guard, optionsOf()).listener((request, response, body) =>
      transport.handleRequest(request, response, body),
    )
    return overHttp(listener, test)
  },
}

describe('a session with an MCP server', () => {
  for (const [name, start] of Object.entries(servers))
    it(`belongs to the caller that opened it, with ${name}`, async (test) => {
      const guard = createGuard(optionsWith(), new VirtualRuntime(keySetOf(forge)))
      const call = await start(guard, test)
      const session = (await call(owner, 'POST')).headers.get('mcp-session-id') ?? ''
      assert.ok(session)
      for (const method of ['GET', 'POST', 'DELETE'])
        assert.equal((await call(other, method, session)).status, 404, method)
      assert.equal((await call(renewed, 'POST', session)).status, 200)
      for (const unknown of ['session-2', `${session}, session-2`, `${session} x`])
        assert.equal((await call(owner, 'POST', unknown)).status, 404, unknown)
      assert.equal((await call(owner, 'DELETE', session)).status, 200)
    })

  it('is dropped when 10,000 others are in use', () => {
    const sessions = new SessionOwners()
    const caller = { tenantId: 'tenant', applicationId: 'application' } as never
    sessions.note('used', caller)
    sessions.note('unused', caller)
    for (let at = 0; at < 9_999; at += 1) {
      assert.ok(sessions.has('used', caller))
      sessions.note(`session-${at}`, caller)
    }
    assert.ok(!sessions.has('unused', caller))
    assert.ok(sessions.has('used', caller))
  })

  it('keeps its owner', () => {
    const sessions = new SessionOwners()
    const [first, second] = ['first', 'second'].map(
      (applicationId) => ({ tenantId: 'tenant', applicationId }) as never,
    )
    sessions.note('session', first as never)
    sessions.note('session', second as never)
    assert.ok(sessions.has('session', first as never))
    assert.ok(!sessions.has('session', second as never))
  })
})
