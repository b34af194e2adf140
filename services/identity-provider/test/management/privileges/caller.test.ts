import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { put } from '@greeting/directory'
import { wholeDirectory } from '../../../../../test/fixtures/directory/whole-directory.ts'
import { contoso, sampleGraph } from '../sample-graph.ts'

const reader = ['Application.Read.All'] as const
const writer = ['Application.ReadWrite.All'] as const
describe('the required management roles', () => {
  it('are checked after the token, so only authenticated callers learn that a path is unknown', async () => {
    const { clientWith, request } = await sampleGraph()
    assert.equal((await request('GET', '/devices', undefined, {})).status, 401)
    const { status, body } = await (await clientWith([])).get('/devices')
    assert.equal(status, 400)
    assert.equal(body.error.message, "Resource not found for the segment 'devices'.")
  })

  it('are not checked for an unknown method, and the response lists the allowed methods', async () => {
    const { clientWith } = await sampleGraph()
    const { status, headers } = await (await clientWith(reader)).delete('/applications')
    assert.equal(status, 405)
    assert.equal(headers.get('allow'), 'GET, POST')
  })
})

/** A token is valid longer than the roles in it: CVE-2026-9705 and CVE-2026-1609 of Keycloak. */
describe("a client's token", () => {
  const losses = {
    'its account': async ({ commit, store, client }: Loss) => {
      const principal = (await wholeDirectory(store)).servicePrincipal(client.principalId)
      if (principal) await commit(put('servicePrincipal', { ...principal, accountEnabled: false }))
      return { status: 401, code: 'Authorization_IdentityNotFound' }
    },
    'its service principal': async ({ commit, store, client, runtime }: Loss) => {
      const principal = (await wholeDirectory(store)).servicePrincipal(client.principalId)
      const deletedDateTime = runtime.now()
      if (principal) await commit(put('servicePrincipal', { ...principal, deletedDateTime }))
      return { status: 401, code: 'Authorization_IdentityNotFound' }
    },
    'its application': async ({ commit, store, client, runtime }: Loss) => {
      const own = (await wholeDirectory(store)).applicationByAppId(client.appId)
      if (own) await commit(put('application', { ...own, deletedDateTime: runtime.now() }))
      return { status: 401, code: 'Authorization_IdentityNotFound' }
    },
    'its tenant': async ({ commit }: Loss) => {
      await commit(put('tenant', { ...contoso, isEnabled: false }))
      return { status: 401, code: 'Authorization_IdentityNotFound' }
    },
    'its role': async ({ commit, store, client }: Loss) => {
      for (const { id } of (await wholeDirectory(store)).assignmentsOf(client.principalId))
        await commit({ kind: 'appRoleAssignment', id, value: null })
      return { status: 403, code: 'Authorization_RequestDenied' }
    },
  }
  type Loss = Awaited<ReturnType<typeof sampleGraph>> & {
    client: { appId: string; principalId: string }
  }

  for (const [name, lose] of Object.entries(losses)) {
    it(`is refused after the client loses ${name}`, async () => {
      const sample = await sampleGraph()
      const client = await sample.clientWith(writer)
      assert.equal((await client.get('/applications')).status, 200)
      const { status, code } = await lose({ ...sample, client })
      const reply = await client.patch(`/servicePrincipals/${client.principalId}`, {
        accountEnabled: true,
      })
      assert.equal(reply.status, status)
      assert.equal(reply.body.error.code, code)
      const challenge = reply.headers.get('www-authenticate') ?? ''
      assert.equal(challenge.includes('error="invalid_token"'), status === 401, challenge)
    })
  }
})
