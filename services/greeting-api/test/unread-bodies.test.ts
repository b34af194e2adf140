import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGuard, describeResource, entra } from '@greeting/guard'
import { apiApplicationId, tenantId } from '../../../test/fixtures/signing-identity-provider.ts'
import { createApp } from '../src/app.ts'
import { roles } from '../src/greetings.ts'

const baseUrl = 'https://api.example'
const addresses = { baseUrl, tokenUrl: `${baseUrl}/token`, scope: `api://${apiApplicationId}` }

describe('the body of a request to the greeting API', () => {
  it('AS44: is never read, whatever the route and the method', async () => {
    const guard = createGuard(entra({ tenantId, apiApplicationId, roles }), {
      fetch: async () => Response.json({ keys: [] }),
    })
    const app = createApp({
      guard,
      addresses,
      resourceMetadata: describeResource({
        resource: baseUrl,
        authorizationServers: [baseUrl],
        scopes: [addresses.scope],
      }),
      isStopping: () => false,
      log: { error: (detail: unknown) => assert.fail(String(detail)) },
    })
    const paths = new Set(app.routes.map(({ path }) => path))
    assert.ok(paths.size > 6, [...paths].join())
    for (const path of paths) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        let taken = 0
        const pull = (controller: ReadableStreamDefaultController) => {
          taken += 1
          controller.enqueue(Buffer.from('a&'))
        }
        const body = new ReadableStream({ pull }, { highWaterMark: 0 })
        const target = path.replace(/:\w+|\*/, 'x')
        const sent = { method, body, duplex: 'half' } as RequestInit
        const { status } = await app.request(`${baseUrl}${target}`, sent)
        assert.equal(taken, 0, `${method} ${path}`)
        assert.ok(status >= 400, `${method} ${path} is answered ${status}`)
      }
    }
  })
})
