import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { contoso, sampleGraph } from '../sample-graph.ts'

describe('the tenant of a caller', () => {
  it('is shown with its domains', async () => {
    const { clientWith } = await sampleGraph()
    const caller = await clientWith(['Application.Read.All'])
    const { body } = await caller.get('/organization')
    assert.partialDeepStrictEqual(body.value, [
      { id: contoso.id, displayName: 'Contoso', verifiedDomains: [{ name: 'contoso.example' }] },
    ])
    const { body: domains } = await caller.get('/domains')
    assert.partialDeepStrictEqual(domains.value, [
      { id: 'contoso.example', isDefault: true, isRoot: true, isVerified: true },
    ])
  })

  it('has no signed-in user', async () => {
    const { clientWith } = await sampleGraph()
    for (const path of ['/me', '/me/ownedObjects']) {
      const { status, body } = await (await clientWith([])).get(path)
      assert.equal(status, 400)
      assert.match(body.error.message, /only valid with delegated authentication flow/)
    }
  })
})
