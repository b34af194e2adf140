import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allGraphRoles, fabrikam } from '../../sample-graph.ts'
import { withApi } from './sample-api.ts'

const orders = { name: 'orders', dataType: 'String', targetObjects: ['User', 'Application'] }

async function withExtension(body: object = orders) {
  const sample = await withApi()
  const all = `${sample.path}/extensionProperties`
  return { ...sample, all, answer: await sample.admin.post(all, body) }
}

describe('an extension property of an application', () => {
  it('contains the application ID in its name, and can be listed, shown and removed', async () => {
    const { admin, all, answer, api } = await withExtension()
    const { '@odata.context': context, ...shown } = answer.body
    assert.equal(answer.status, 201)
    assert.equal(context, 'https://login.example/v1.0/$metadata#extensionProperties/$entity')
    const name = `extension_${String(api.appId).replaceAll('-', '')}_orders`
    assert.deepEqual(shown, {
      id: shown.id,
      deletedDateTime: null,
      appDisplayName: api.displayName,
      dataType: 'String',
      isMultiValued: false,
      isSyncedFromOnPremises: false,
      name,
      targetObjects: orders.targetObjects,
    })
    assert.deepEqual((await admin.get(all)).body.value, [shown])
    const filtered = `${all}?$filter=name eq '${name}'&$select=id`
    assert.deepEqual((await admin.get(filtered)).body.value, [{ id: shown.id }])
    const one = `${all}/${String(shown.id).toUpperCase()}`
    assert.partialDeepStrictEqual((await admin.get(one)).body, shown)
    assert.equal((await admin.delete(one)).status, 204)
    for (const gone of [await admin.get(one), await admin.delete(one)])
      assert.equal(gone.status, 404)
    assert.deepEqual((await admin.get(all)).body.value, [])
  })

  it('is found by the application ID, survives other changes, and disappears with its application', async () => {
    const { admin, answer, api, path } = await withExtension({ ...orders, isMultiValued: true })
    assert.equal(answer.body.isMultiValued, true)
    await admin.patch(path, { displayName: 'Other' })
    const byAppId = `/applications(appId='${api.appId}')/extensionProperties`
    const [kept] = (await admin.get(byAppId)).body.value
    assert.deepEqual([kept?.id, kept?.appDisplayName], [answer.body.id, 'Other'])
    await admin.delete(path)
    assert.equal((await admin.get(byAppId)).status, 404)
    await admin.post(`/directory/deletedItems/${api.id}/restore`)
    assert.equal((await admin.get(byAppId)).body.value.length, 1)
  })

  it('may have the same chosen name in another application, and is invisible to another tenant', async () => {
    const { admin, answer, clientWith, path } = await withExtension()
    const { body: other } = await admin.post('/applications', { displayName: 'Other' })
    const ofOther = `/applications/${other.id}/extensionProperties`
    assert.equal((await admin.post(ofOther, orders)).status, 201)
    assert.equal((await admin.get(`${ofOther}/${answer.body.id}`)).status, 404)
    const foreign = await clientWith(allGraphRoles, fabrikam)
    assert.equal((await foreign.get(`${path}/extensionProperties`)).status, 404)
  })

  const rows: readonly (readonly [string, object, RegExp])[] = [
    ['without a name', { ...orders, name: undefined }, /name.*is required/],
    [
      'with a hyphen in its name',
      { ...orders, name: 'job-group' },
      /letters, digits and underscores/,
    ],
    ['with a name of 121 characters', { ...orders, name: 'a'.repeat(121) }, /longer than 120/],
    ['with an unknown type of data', { ...orders, dataType: 'Float' }, /dataType.*"Binary" or/],
    ['without types of objects', { ...orders, targetObjects: [] }, /at least one type/],
    ['with a type of objects twice', { ...orders, targetObjects: ['User', 'User'] }, /only once/],
    ['with an unknown type of objects', { ...orders, targetObjects: ['Team'] }, /targetObjects/],
    ['from another directory', { ...orders, isSyncedFromOnPremises: true }, /not supported here/],
  ]
  for (const [what, body, message] of rows)
    it(`is refused ${what}`, async () => {
      const { answer } = await withExtension(body)
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'Request_BadRequest'])
      assert.match(answer.body.error.message, message)
    })

  it('has a unique name, and an application has at most 100', async () => {
    const { admin, all } = await withExtension()
    const again = await admin.post(all, orders)
    assert.equal(again.status, 400)
    assert.match(again.body.error.message, /exists with the name extension_[0-9a-f]{32}_orders/)
    for (let number = 1; number < 100; number += 1)
      assert.equal((await admin.post(all, { ...orders, name: `orders${number}` })).status, 201)
    assert.match((await admin.post(all, { ...orders, name: 'last' })).body.error.message, /100/)
  })
})

describe('the available extension properties (entra E360)', () => {
  const path = '/directoryObjects/getAvailableExtensionProperties'

  it('include extension properties of foreign applications with a service principal in this tenant', async () => {
    const { admin, answer, api, clientWith } = await withExtension()
    await admin.post('/servicePrincipals', { appId: api.appId })
    await admin.post('/applications', { displayName: 'Without' })
    const other = await clientWith(allGraphRoles, fabrikam)
    const offer = { displayName: 'Offer', signInAudience: 'AzureADMultipleOrgs' }
    const { body: offered } = await other.post('/applications', offer)
    const ofOffer = `/applications/${offered.id}/extensionProperties`
    const { body: foreign } = await other.post(ofOffer, { ...orders, name: 'offer' })
    const { body: hidden } = await other.post('/applications', offer)
    await other.post(`/applications/${hidden.id}/extensionProperties`, orders)
    await admin.post('/servicePrincipals', { appId: offered.appId })

    const { status, body } = await admin.post(path, {})
    assert.equal(status, 200)
    const context = 'https://login.example/v1.0/$metadata#Collection(extensionProperty)'
    assert.equal(body['@odata.context'], context)
    const names = Object.fromEntries(body.value.map((one) => [one.id, one.appDisplayName]))
    assert.deepEqual(names, { [answer.body.id]: 'API', [foreign.id]: 'Offer' })
    assert.equal(body.value.length, 2)
    const { '@odata.context': _context, ...shown } = answer.body
    const own = body.value.find(({ id }) => id === answer.body.id)
    assert.deepEqual(own, { '@odata.type': '#microsoft.graph.extensionProperty', ...shown })
    const json = { 'content-type': 'application/json' }
    const requests = [path, path.replace('/get', '/microsoft.graph.get')].map((url, index) => ({
      id: `${index}`,
      method: 'POST',
      url,
      headers: json,
      body: { isSyncedFromOnPremises: false },
    }))
    const batch = await admin.post('/$batch', { requests })
    for (const part of batch.body.responses as { body: typeof body }[])
      assert.deepEqual(part.body.value, body.value)
    await admin.delete(`/applications/${api.id}`)
    assert.equal((await admin.post(path, {})).body.value.length, 1)
  })

  const rows: readonly (readonly [object, status: number, count?: number])[] = [
    [{}, 200, 1],
    [{ isSyncedFromOnPremises: null }, 200, 1],
    [{ isSyncedFromOnPremises: false }, 200, 1],
    [{ isSyncedFromOnPremises: true }, 200, 0],
    [{ isSyncedFromOnPremises: 'yes' }, 400],
    [{ synced: true }, 400],
    [[], 400],
  ]
  for (const [body, status, count] of rows)
    it(`return ${status} for ${JSON.stringify(body)}`, async () => {
      const { admin } = await withExtension()
      const answer = await admin.post(path, body)
      assert.equal(answer.status, status)
      assert.equal(answer.body.value?.length, count)
    })

  it('are returned in one response, and require Directory.Read.All', async () => {
    const { admin, all, clientWith } = await withExtension()
    for (let number = 1; number < 100; number += 1)
      await admin.post(all, { ...orders, name: `orders${number}` })
    const second = await admin.post('/applications', { displayName: 'Second' })
    await admin.post(`/applications/${second.body.id}/extensionProperties`, orders)
    const { body } = await admin.post(path, {})
    assert.equal(body.value.length, 101)
    assert.equal(body['@odata.nextLink'], undefined)
    const reader = await clientWith(['Directory.Read.All'])
    assert.equal((await reader.post(path, {})).status, 200)
    const other = await clientWith(['Application.ReadWrite.All'])
    assert.equal((await other.post(path, {})).status, 403)
  })
})
