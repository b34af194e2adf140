import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withApi } from '../applications/sample-api.ts'

const json = { 'content-type': 'application/json' }

// What Terraform sends with `use_existing`, and parts of it.
const present = {
  accountEnabled: true,
  alternativeNames: [],
  appRoleAssignmentRequired: false,
  description: null,
  loginUrl: null,
  notes: null,
  notificationEmailAddresses: [],
  preferredSingleSignOnMode: null,
  samlSingleSignOnSettings: null,
  tags: [],
}

describe('a service principal without an object in the store (entra E354)', () => {
  it('represents an Azure API in each tenant, and is not stored', async () => {
    const { admin } = await withApi()
    const appId = 'e406a681-f3d4-42a8-90b6-c2b029497af1'
    const { status, body } = await admin.get(`/servicePrincipals(appId='${appId}')`)
    assert.equal(status, 200)
    assert.partialDeepStrictEqual(body, {
      appId,
      displayName: 'Azure Storage',
      appDisplayName: 'Azure Storage',
      appRoles: [],
      servicePrincipalNames: [appId, 'https://storage.azure.com'],
    })
    assert.deepEqual((await admin.get(`/servicePrincipals/${body.id}`)).body.id, body.id)
    for (const filter of [
      `appId eq '${appId}'`,
      `appId eq '${appId.toUpperCase()}'`,
      "displayName eq 'Azure Storage'",
      "servicePrincipalNames/any(n:n eq 'https://storage.azure.com')",
    ]) {
      const found = await admin.get(`/servicePrincipals?$filter=${filter}`)
      assert.equal(found.status, 200, JSON.stringify([filter, found.body]))
      assert.deepEqual(
        found.body.value.map(({ id }) => id),
        [body.id],
        filter,
      )
    }
    const all = await admin.get('/servicePrincipals')
    assert.ok(all.body.value.every((one) => one.appId !== appId))
    const again = await admin.post('/servicePrincipals', { appId })
    assert.deepEqual(
      [again.status, again.body.error.code],
      [409, 'Request_MultipleObjectsWithSameKeyValue'],
    )
    for (const id of [body.id, `appId=${appId}`]) {
      const changed = await admin.patch(`/servicePrincipals/${id}`, { accountEnabled: false })
      assert.equal(changed.status, 403)
      assert.equal((await admin.delete(`/servicePrincipals/${id}`)).status, 403)
    }
    assert.equal((await admin.get(`/applications(appId='${appId}')`)).status, 404)
  })

  it('accepts its existing values without storing them (entra E357)', async () => {
    const { admin, log } = await withApi()
    const appId = 'cfa8b339-82a2-471a-a3c9-0fc0be7a4093'
    const { body: before } = await admin.get(`/servicePrincipals(appId='${appId}')`)
    const rows = [
      [present, 204],
      [{}, 204],
      [{ displayName: before.displayName, appId, keyCredentials: [] }, 204],
      [{ ...present, tags: ['terraform'] }, 403],
      [{ ...present, notes: 'Ours' }, 403],
      [{ appRoleAssignmentRequired: true }, 403],
    ] as const
    for (const [body, status] of rows)
      for (const key of [`/${before.id}`, `(appId='${appId}')`]) {
        const path = `/servicePrincipals${key}`
        const upsert = { prefer: 'create-if-missing' }
        const replies = [await admin.patch(path, body), await admin.patch(path, body, upsert)]
        const request = { id: '1', method: 'PATCH', url: path, headers: json, body }
        const batch = await admin.post('/$batch', { requests: [request] })
        const [part] = batch.body.responses as { status: number }[]
        const statuses = [...replies, part].map((reply) => reply?.status)
        assert.deepEqual(statuses, [status, status, status], JSON.stringify(body))
        assert.equal(replies[0]?.headers.get('etag'), null)
      }
    assert.equal(log.directory.servicePrincipal(before.id), undefined)
    assert.deepEqual((await admin.get(`/servicePrincipals/${before.id}`)).body, before)
  })
})
