import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wholeDirectory } from '../../../../../test/fixtures/directory/whole-directory.ts'
import { role, withApi } from '../graph/applications/sample-api.ts'

describe('If-Match', () => {
  it('permits a change only if the object is unchanged since it was read', async () => {
    const { admin, api, path } = await withApi()
    const etag = api['@odata.etag']
    const read = await admin.get(path)
    assert.equal(read.body['@odata.etag'], etag)
    assert.equal(read.headers.get('etag'), etag)
    const first = await admin.patch(path, { displayName: 'First' }, { 'if-match': etag })
    assert.equal(first.status, 204)
    const late = await admin.patch(path, { displayName: 'Late' }, { 'if-match': etag })
    assert.equal(late.status, 412)
    assert.equal(late.body.error.code, 'Request_PreconditionFailed')
    const next = { 'if-match': first.headers.get('etag') ?? '' }
    assert.equal((await admin.patch(path, { displayName: 'Next' }, next)).status, 204)
    const any = { 'if-match': '*' }
    assert.equal((await admin.patch(path, {}, any)).status, 204)
    const several = { 'if-match': `W/"0", ${(await admin.get(path)).body['@odata.etag']}` }
    assert.equal((await admin.patch(path, {}, several)).status, 204)
  })

  it('applies to every change of an existing object', async () => {
    const { admin, api, path } = await withApi({ appRoles: [role()] })
    const { body: principal } = await admin.post('/servicePrincipals', { appId: api.appId })
    const ids = { principalId: principal.id, resourceId: principal.id, appRoleId: role().id }
    const all = `/servicePrincipals/${principal.id}/appRoleAssignedTo`
    const { body: assignment } = await admin.post(all, ids)
    const stale = { 'if-match': 'W/"0"' }
    const replies = [
      await admin.patch(path, {}, stale),
      await admin.delete(path, undefined, stale),
      await admin.post(`${path}/addPassword`, {}, stale),
      await admin.post(`${path}/removePassword`, { keyId: api.id }, stale),
      await admin.patch(`/servicePrincipals/${principal.id}`, {}, stale),
      await admin.delete(`/servicePrincipals/${principal.id}`, undefined, stale),
      await admin.delete(`${all}/${assignment.id}`, undefined, stale),
    ]
    await admin.delete(path)
    replies.push(
      await admin.delete(`/directory/deletedItems/${api.id}`, undefined, stale),
      await admin.post(`/directory/deletedItems/${api.id}/restore`, undefined, stale),
    )
    assert.deepEqual(
      replies.map(({ status }) => status),
      replies.map(() => 412),
    )
  })

  it('permits only one of many concurrent changes', async () => {
    const { admin, api, path, store } = await withApi()
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        admin.patch(path, { displayName: `${index}` }, { 'if-match': api['@odata.etag'] }),
      ),
    )
    const winners = replies.flatMap(({ status }, index) => (status === 204 ? [`${index}`] : []))
    assert.equal(winners.length, 1)
    assert.equal((await wholeDirectory(store)).application(api.id)?.displayName, winners[0])
  })

  it('is optional: without it, concurrent additions to a collection are all stored', async () => {
    const { admin, api, path, store } = await withApi()
    await Promise.all(Array.from({ length: 20 }, () => admin.post(`${path}/addPassword`, {})))
    assert.equal((await wholeDirectory(store)).application(api.id)?.passwordCredentials.length, 20)
  })
})
