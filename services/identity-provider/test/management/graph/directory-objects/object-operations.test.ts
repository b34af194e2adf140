import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { role, withApi } from '../applications/sample-api.ts'

describe('a property with a dedicated path', () => {
  const roles = [role()]
  for (const [property, value] of [
    ['displayName', { value: 'API' }],
    ['DISPLAYNAME', { value: 'API' }],
    ['passwordAuthenticationAllowed', { value: true }],
    ['tags', { value: ['a'] }],
    ['web', { homePageUrl: 'https://contoso.example', redirectUris: [] }],
  ] as const)
    it(`is shown: ${property}`, async () => {
      const web = { homePageUrl: 'https://contoso.example' }
      const { admin, path, api } = await withApi({ appRoles: roles, tags: ['a'], web })
      const { status, body } = await admin.get(`${path}/${property}`)
      assert.equal(status, 200)
      assert.partialDeepStrictEqual(body, value)
      const name = property === 'DISPLAYNAME' ? 'displayName' : property
      const context = `https://login.example/v1.0/$metadata#applications('${api.id}')/${name}`
      assert.equal(Reflect.get(body, '@odata.context'), context)
    })

  it('returns no content when it has no value', async () => {
    const { admin, path } = await withApi()
    assert.equal((await admin.get(`${path}/description`)).status, 204)
  })

  it('is shown for an application that is named by its application ID', async () => {
    const { admin, api } = await withApi({ appRoles: roles })
    const { body } = await admin.get(`/applications(appId='${api.appId}')/appRoles`)
    assert.equal(body.value.length, 1)
    await admin.post('/servicePrincipals', { appId: api.appId })
    const names = await admin.get(`/servicePrincipals(appId='${api.appId}')/servicePrincipalNames`)
    assert.deepEqual(names.body.value, [api.appId])
  })

  for (const [fault, suffix, status, message] of [
    ['it does not exist', '/colour', 400, "segment 'colour'"],
    ['it belongs to every object', '/constructor', 400, "segment 'constructor'"],
    ['it has a separate segment', '/displayName/length', 400, "segment 'length'"],
    ['the query has options', '/displayName?$select=id', 400, "option '$select'"],
  ] as const)
    it(`is refused if ${fault}`, async () => {
      const { admin, path } = await withApi()
      const { body, ...reply } = await admin.get(`${path}${suffix}`)
      assert.equal(reply.status, status)
      assert.ok(body.error.message.includes(message), body.error.message)
    })

  it('is not found and cannot be changed if its object is unknown', async () => {
    const { admin, path } = await withApi()
    const missing = '/applications/00000000-0000-4000-8000-000000000999/displayName'
    assert.equal((await admin.get(missing)).status, 404)
    assert.equal((await admin.patch(`${path}/displayName`, { value: 'x' })).status, 405)
    assert.equal((await admin.post(`${path}/colour`, {})).status, 400)
  })
})
