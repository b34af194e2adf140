import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import {
  type ManagedIdentityOptions,
  serveManagedIdentity,
} from '../../src/system/managed-identity.ts'

const identity = (clientId: string) => ({
  authUrl: 'http://login.test',
  tenantId: 'tenant',
  clientId,
  clientSecret: 'canary',
})
const requested = '/metadata/identity/oauth2/token?api-version=2018-02-01&resource=api://a'

/** Asks the endpoint of a virtual machine, with these answers of the identity provider. */
async function ask(
  query: string,
  fetch: typeof globalThis.fetch,
  part: Partial<ManagedIdentityOptions> = {},
) {
  const endpoints = await serveManagedIdentity({
    port: 0,
    identities: async () => [identity('system'), identity('user')],
    secret: 'header',
    fetch,
    ...part,
  })
  const headers = { metadata: 'true' }
  const response = await globalThis.fetch(`${endpoints.url}${requested}${query}`, { headers })
  const body = await response.text()
  await endpoints.stop()
  return { status: response.status, cached: response.headers.get('cache-control'), body }
}

describe('the managed identity endpoints', () => {
  const rows: [string, string][] = [
    ['', 'system'],
    ['&client_id=user', 'user'],
  ]
  for (const [query, clientId] of rows)
    it(`request a token for ${clientId} at the v1.0 endpoint`, async () => {
      const sent: string[] = []
      const { status, body, cached } = await ask(query, async (url, init) => {
        sent.push(`${url} ${init?.body}`)
        return Response.json({ access_token: 't', expires_on: '1', resource: 'api://a' })
      })
      assert.equal(status, 200)
      assert.equal(cached, 'no-store')
      const expected = { access_token: 't', expires_on: '1', resource: 'api://a' }
      assert.deepEqual(JSON.parse(body), { ...expected, client_id: clientId })
      assert.match(sent[0] ?? '', /^http:\/\/login\.test\/tenant\/oauth2\/token /)
      assert.ok(sent[0]?.includes(`client_id=${clientId}`))
    })

  it('pass on a refusal', async () => {
    const error = { error: 'invalid_resource', error_description: 'AADSTS500011' }
    const { status, body } = await ask('', async () => Response.json(error, { status: 400 }))
    assert.equal(status, 400)
    assert.match(body, /AADSTS500011/)
  })

  const failures: [string, () => Promise<Response>][] = [
    ['does not respond', () => Promise.reject(new Error('canary'))],
    ['responds with a page', async () => new Response('<html>')],
    ['responds with null', async () => Response.json(null)],
  ]
  for (const [what, fetch] of failures)
    it(`respond with 503 and no details if the identity provider ${what}`, async () => {
      const { status, body } = await ask('', fetch)
      assert.equal(status, 503)
      assert.doesNotMatch(body, /canary/)
    })

  it('refuse a client that is not a managed identity on this machine', async () => {
    const { status, body } = await ask('&client_id=other', () => Promise.reject(new Error('asked')))
    assert.equal(status, 400)
    assert.match(body, /Identity not found/)
  })

  it("AS44: respond before a request's body arrives, and do not read it", async () => {
    const endpoints = await serveManagedIdentity({
      port: 0,
      identities: async () => [],
      secret: 'header',
    })
    const headers = { metadata: 'true', 'content-length': '2000000' }
    const request = httpRequest(`${endpoints.url}${requested}`, { method: 'POST', headers })
    request.on('error', () => undefined)
    request.flushHeaders()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    assert.equal(response.statusCode, 400)
    request.destroy()
    await endpoints.stop()
  })
})
