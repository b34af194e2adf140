import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allGraphRoles } from '../../sample-graph.ts'
import { withApi } from './sample-api.ts'

const orCreate = { prefer: 'create-if-missing' }

describe('a PATCH with Prefer: create-if-missing', () => {
  it('creates an application once by its unique name, and changes it later', async () => {
    const { admin, log } = await withApi()
    const path = "/applications(uniqueName='orders')"
    assert.equal((await admin.patch(path, { displayName: 'Orders' })).status, 404)
    const created = await admin.patch(path, { displayName: 'Orders' }, orCreate)
    assert.equal(created.status, 201)
    assert.equal(created.body.uniqueName, 'orders')
    assert.equal(log.audit.at(-1)?.action, 'application.create')
    const changed = await admin.patch(path, { displayName: 'Orders 2' }, orCreate)
    assert.equal(changed.status, 204)
    const { body } = await admin.get(path)
    assert.deepEqual([body.id, body.displayName], [created.body.id, 'Orders 2'])
    const taken = await admin.post('/applications', { displayName: 'X', uniqueName: 'orders' })
    assert.equal(taken.status, 400)
    assert.match(taken.body.error.message, /property uniqueName already exists/)
    await admin.delete(path)
    assert.equal((await admin.patch(path, { displayName: 'Orders' }, orCreate)).status, 404)
  })

  it('creates only one application for simultaneous requests', async () => {
    const { admin } = await withApi()
    const path = "/applications(uniqueName='orders')"
    const replies = await Promise.all(
      [1, 2, 3].map((number) => admin.patch(path, { displayName: `Orders ${number}` }, orCreate)),
    )
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 204, 204])
  })

  it('creates the service principal of an application', async () => {
    const { admin, api, log } = await withApi()
    const path = `/servicePrincipals(appId='${api.appId}')`
    const created = await admin.patch(path, { accountEnabled: true, notes: 'n' }, orCreate)
    assert.equal(created.status, 201)
    assert.equal(log.audit.at(-1)?.action, 'servicePrincipal.create')
    const location = `https://login.example/v1.0/servicePrincipals/${created.body.id}`
    assert.equal(created.headers.get('location'), location)
    const invalid = await admin.patch("/servicePrincipals(appId='x')", {}, orCreate)
    assert.match(invalid.body.error.message, /^Invalid object identifier/)
    assert.equal((await admin.patch(path, { notes: null }, orCreate)).status, 204)
  })
})

describe('the new secrets of a new application', () => {
  it('appear only in the response to its creation', async () => {
    const { admin } = await withApi()
    const { status, body } = await admin.post('/applications', {
      displayName: 'X',
      passwordCredentials: [{ displayName: 'tf' }],
    })
    assert.equal(status, 201)
    const [secret] = body.passwordCredentials as { secretText: string }[]
    assert.equal(typeof secret?.secretText, 'string')
    const shown = (await admin.get(`/applications/${body.id}`)).body
    assert.ok(!JSON.stringify(shown).includes(secret?.secretText ?? ''))
    const refused = await admin.patch(`/applications/${body.id}`, {
      passwordCredentials: [{ displayName: 'tf' }],
    })
    assert.match(refused.body.error.message, /addPassword/)
  })
})

describe('$expand', () => {
  it('adds the owners and assignments to a single object and to each object of a list', async () => {
    const { admin, path } = await withApi()
    const owner = { '@odata.id': `https://x.example/directoryObjects/${admin.principalId}` }
    await admin.post(`${path}/owners/$ref`, owner)
    const owners = [{ id: admin.principalId, '@odata.type': '#microsoft.graph.servicePrincipal' }]
    assert.partialDeepStrictEqual((await admin.get(`${path}?$expand=owners&$select=id`)).body, {
      owners,
    })
    const { body } = await admin.get("/applications?$expand=Owners&$filter=displayName eq 'API'")
    assert.partialDeepStrictEqual(body.value, [{ owners }])
    const principal = `/servicePrincipals/${admin.principalId}?$expand=owners,appRoleAssignments`
    const { body: shown } = await admin.get(principal)
    assert.deepEqual(shown.owners, [])
    assert.ok(allGraphRoles.length > 20)
    assert.equal((shown.appRoleAssignments as unknown[]).length, 20, 'the bound of Graph')
  })
})
