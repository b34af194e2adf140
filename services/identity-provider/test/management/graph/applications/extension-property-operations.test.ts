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
  it('has the application ID in its name, is listed, shown and removed', async () => {
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

  it('is found by the application ID, stays with other changes, and goes with the application', async () => {
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

  it('is that of another application with the same chosen name, and of no other tenant', async () => {
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

  it('is refused twice with one name, and as the 101st', async () => {
    const { admin, all } = await withExtension()
    const again = await admin.post(all, orders)
    assert.equal(again.status, 400)
    assert.match(again.body.error.message, /exists with the name extension_[0-9a-f]{32}_orders/)
    for (let number = 1; number < 100; number += 1)
      assert.equal((await admin.post(all, { ...orders, name: `orders${number}` })).status, 201)
    assert.match((await admin.post(all, { ...orders, name: 'last' })).body.error.message, /100/)
  })
})
