import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { useEntra } from '@greeting/testing/node-test'
import { createAdaptorServer } from '@hono/node-server'
import { createAgent, runEvery } from './agent.ts'
import { createGreetings, roles } from './server.ts'

const toolCall = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'hi' },
})

describe('an agent that calls an MCP server', () => {
  const entra = useEntra({
    registrations: {
      apis: { 'Greeting API': { roles } },
      blueprints: {
        Greeters: {
          agents: {
            'Nightly agent': { roles: { 'Greeting API': ['CallHiApiRole'] } },
            'New agent': {},
          },
        },
      },
    },
  })
  let url: string
  let requests = 0
  const server = createAdaptorServer({
    overrideGlobalObjects: false,
    fetch: (request: Request) => {
      requests += 1
      return greetings.fetch(request)
    },
  })
  let greetings: Awaited<ReturnType<typeof createGreetings>>
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
    const { guardOptions } = entra().api('Greeting API')
    greetings = await createGreetings(guardOptions, url, {
      wallClockMs: entra().clock.wallClockMs,
    })
  })
  after(() => {
    greetings.guard.stop()
    server.close()
  })

  const agentNamed = (name: 'Nightly agent' | 'New agent') => {
    const { authUrl, tenantId, apiApplicationId } = entra().api('Greeting API').guardOptions
    const { blueprint, clientId: agentId } = entra().agent(name)
    const { clientId: blueprintId, clientSecret: blueprintSecret } = blueprint
    const secret = { blueprintId, blueprintSecret, agentId }
    return createAgent({ authUrl, tenantId, apiApplicationId, ...secret, serverUrl: url })
  }
  const callWith = (token: string) =>
    fetch(url, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      body: toolCall,
    })

  it('sees and calls the tool that its role allows', async () => {
    const agent = agentNamed('Nightly agent')
    assert.deepEqual(await agent.tools(), ['hi'])
    assert.equal(await agent.call('hi'), 'Hi')
  })

  it('is refused the other tool in a single response', async () => {
    const agent = agentNamed('Nightly agent')
    await agent.call('hi')
    const before = requests
    await agent.tools()
    const forConnection = requests - before - 1
    await assert.rejects(agent.call('hello'), /403|insufficient|forbidden/i)
    assert.equal(requests - before, 2 * forConnection + 2)
  })

  it('sees no tool without a role', async () => {
    assert.deepEqual(await agentNamed('New agent').tools(), [])
  })

  it('continues its schedule after a failed run', async () => {
    const agent = agentNamed('Nightly agent')
    const ended = new AbortController()
    const results: string[] = []
    await runEvery(
      10,
      () => agent.call(results.length === 0 ? 'hello' : 'hi'),
      (result) => {
        results.push(result)
        if (results.length === 2) ended.abort()
      },
      ended.signal,
    )
    assert.match(results[0] ?? '', /^failed: /)
    assert.deepEqual(results.slice(1), ['Hi'])
  })

  it("cannot call the server with its blueprint's token", async () => {
    const { blueprint, clientId } = entra().agent('Nightly agent')
    assert.equal((await callWith(await blueprint.exchangeToken(clientId))).status, 401)
  })

  it('is protected by a server that refuses every hostile token', async () => {
    await entra().assertRefusesForgeries('Greeting API', (token) => callWith(token))
  })
})
