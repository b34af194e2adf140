import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { graphAppId } from '@greeting/directory'
import { guid } from '../../../../../../test/fixtures/directory/sample.ts'
import { fabrikam } from '../../sample-graph.ts'
import { withApi } from '../applications/sample-api.ts'

describe('an object at the generic path', () => {
  it('is shown with its type', async () => {
    const { admin, api } = await withApi()
    const { body: application } = await admin.get(`/directoryObjects/${api.id}`)
    assert.partialDeepStrictEqual(application, {
      '@odata.type': '#microsoft.graph.application',
      identifierUris: [],
    })
    const { body: principal } = await admin.get(`/directoryObjects/${admin.principalId}`)
    assert.equal(principal['@odata.type'], '#microsoft.graph.servicePrincipal')
    assert.equal('oauth2RequirePostResponse' in application, false, 'only by $select')
    assert.equal((await admin.get(`/directoryObjects/${guid(9)}`)).status, 404)
    assert.equal((await admin.get('/directoryObjects/x')).status, 400)
  })

  it('is found by several IDs if its type is requested', async () => {
    const { admin, api, clientWith } = await withApi()
    const foreign = await clientWith([], fabrikam)
    const ids = [api.id, admin.principalId, admin.principalId, guid(9), foreign.principalId]
    const found = async (types?: readonly string[]) => {
      const { body } = await admin.post('/directoryObjects/getByIds', { ids, types })
      return body.value.map(({ id }) => id)
    }
    assert.deepEqual(await found(), [api.id, admin.principalId])
    assert.deepEqual(await found(['user', 'servicePrincipal']), [admin.principalId])
    assert.deepEqual(await found(['Application']), [api.id])
    assert.deepEqual(await found(['directoryObject']), [api.id, admin.principalId])
    const many = Array.from({ length: 1001 }, (_, index) => guid(index))
    const { body } = await admin.post('/directoryObjects/getByIds', { ids: many })
    assert.match(body.error.message, /more than 1000 entries/)
  })

  it('is soft-deleted, so that it can be restored (entra E275)', async () => {
    const { admin, api, clientWith } = await withApi()
    const client = await clientWith([])
    const outsider = await clientWith(['Application.ReadWrite.All'], fabrikam)
    for (const id of [api.id, client.principalId]) {
      assert.equal((await outsider.delete(`/directoryObjects/${id}`)).status, 404)
      assert.equal((await admin.delete(`/directoryObjects/${id}`)).status, 204)
      assert.equal((await admin.get(`/directoryObjects/${id}`)).status, 404)
      assert.equal((await admin.get(`/directory/deletedItems/${id}`)).status, 200)
    }
    assert.equal((await admin.delete(`/directoryObjects/${guid(9)}`)).status, 404)
    const { body: graph } = await admin.get(`/servicePrincipals(appId='${graphAppId}')`)
    assert.equal((await admin.delete(`/directoryObjects/${graph.id}`)).status, 403)
  })
})
