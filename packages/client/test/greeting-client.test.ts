import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGreetingClient } from '../src/greeting-client.ts'
import { type Answer, cutInMidBody, json, text, VirtualRuntime } from './fakes/virtual-runtime.ts'

const tokens = { token: async () => 't1', drop: () => undefined }

const clientIn = (environment: VirtualRuntime) =>
  createGreetingClient({ baseUrl: 'https://api.example', tokens, runtime: environment.runtime })

describe('a greeting client', () => {
  it('calls hi', async () => {
    const environment = new VirtualRuntime(text(200, 'Hi'))
    assert.equal(await clientIn(environment).hi(), 'Hi')
    assert.equal(environment.sent[0]?.url, 'https://api.example/api/v1/hi')
  })

  for (const name of ['Ada', '', 'Ada Lovelace', 'a+b&c=d?e#f/g%', 'Zoë 👋', '\u0000', '<b>']) {
    it(`calls hello with exactly ${JSON.stringify(name)}`, async () => {
      const environment = new VirtualRuntime((request) => {
        const given = new URL(request.url).searchParams.get('name')
        return new Response(`Hello, ${given}`, { headers: { 'content-type': 'text/plain' } })
      })
      assert.equal(await clientIn(environment).hello(name), `Hello, ${name}`)
    })
  }

  it('reports the missing role', async () => {
    const denied = json(403, { error: 'access_denied', error_description: 'Access is denied' })
    const client = clientIn(new VirtualRuntime(denied))
    await assert.rejects(client.hi(), { details: { status: 403, role: 'CallHiApiRole' } })
    await assert.rejects(client.hello('x'), { details: { status: 403, role: 'CallHelloApiRole' } })
  })

  it("reports the API's reason for a refusal", async () => {
    const body = { error: 'invalid_request', error_description: 'name is too long' }
    await assert.rejects(clientIn(new VirtualRuntime(json(400, body))).hello('x'), {
      code: 'request_refused',
      message:
        'The API refused GET https://api.example/api/v1/hello (HTTP status 400): name is too long',
    })
  })

  const others: readonly Answer[] = [
    json(200, {}),
    text(500, 'x'),
    text(302, ''),
    () => new Response(null, { status: 204 }),
  ]
  for (const answer of others) {
    it('refuses a response that is not a greeting', async () => {
      const client = clientIn(new VirtualRuntime(answer))
      await assert.rejects(client.hi(), { code: 'api_answer_invalid' })
    })
  }

  it('retries if the connection closes within the body', async () => {
    const environment = new VirtualRuntime(cutInMidBody('H'), text(200, 'Hi'))
    assert.equal(await clientIn(environment).hi(), 'Hi')
  })
})
