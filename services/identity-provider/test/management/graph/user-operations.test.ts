import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { graphAppId } from '@greeting/directory'
import { graphRoles } from '../../../src/management/privileges/graph-roles.ts'
import { contoso, fabrikam, sampleGraph } from '../sample-graph.ts'

const advanced = { consistencylevel: 'eventual' }

/** A client that reads people and groups of a tenant. */
const reader = async (tenant = contoso) =>
  (await sampleGraph()).clientWith(['User.Read.All', 'Group.Read.All'], tenant)

describe('the users of a tenant', () => {
  it('are three, each with the default properties of Microsoft Graph (entra E290)', async () => {
    const { body } = await (await reader()).get('/users')
    assert.equal(body['@odata.context'], 'https://login.example/v1.0/$metadata#users')
    assert.equal(body.value.length, 3)
    const [one] = body.value.filter(({ surname }) => surname === 'Okafor')
    assert.deepEqual(one, {
      businessPhones: [],
      displayName: 'Amara Okafor',
      givenName: 'Amara',
      jobTitle: 'Engineer',
      mail: 'amara@contoso.example',
      mobilePhone: null,
      officeLocation: null,
      preferredLanguage: null,
      surname: 'Okafor',
      userPrincipalName: 'amara@contoso.example',
      id: one?.id,
    })
    assert.match(one?.id ?? '', /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/)
  })

  it('are identical in each response, and differ between tenants', async () => {
    const ids = async (tenant = contoso) =>
      (await (await reader(tenant)).get('/users?$select=id')).body.value.map(({ id }) => id)
    assert.deepEqual(await ids(), await ids())
    assert.equal(new Set([...(await ids()), ...(await ids(fabrikam))]).size, 6)
  })

  it('are listed in pages', async () => {
    const client = await reader()
    const names: unknown[] = []
    for (let next = '/users?$top=2&$select=givenName'; next; ) {
      const { body } = await client.get(next)
      assert.ok(body.value.length <= 2)
      names.push(...body.value.map(({ givenName }) => givenName))
      next = (body['@odata.nextLink'] ?? '').replace('https://login.example/v1.0', '')
    }
    assert.deepEqual(names.toSorted(), ['Amara', 'Jonas', 'Mei'])
  })

  const filters: [string, number][] = [
    ["userPrincipalName eq 'MEI@contoso.example'", 1],
    ["startswith(displayName,'Jo')", 1],
    ["surname eq 'Nobody'", 0],
  ]
  for (const [filter, count] of filters)
    it(`with ${filter} are ${count}, and $count agrees`, async () => {
      const client = await reader()
      const query = `$filter=${encodeURIComponent(filter)}`
      assert.equal((await client.get(`/users?${query}`)).body.value.length, count)
      const counted = await client.get(`/users/$count?${query}`, undefined, advanced)
      assert.equal(Number(counted.body), count)
    })

  it('are found by ID and by user principal name, and have no roles', async () => {
    const client = await reader()
    const { body } = await client.get('/users/Jonas@contoso.example?$select=id,accountEnabled')
    assert.equal(body.accountEnabled, true)
    assert.equal((await client.get(`/users/${body.id}`)).body.givenName, 'Jonas')
    const roles = await client.get(`/users/${body.id}/appRoleAssignments`)
    assert.deepEqual(roles.body.value, [])
  })

  const absent = ['/users/amara@fabrikam.example', '/users/x/appRoleAssignments', '/groups/x']
  for (const path of absent)
    it(`do not exist at ${path}`, async () => {
      const { status, body } = await (await reader()).get(path)
      assert.equal(status, 404)
      assert.equal(body.error.code, 'Request_ResourceNotFound')
    })

  it('can also be read with Directory.Read.All, which permits nothing else here (entra E291)', async () => {
    const client = await (await sampleGraph()).clientWith(['Directory.Read.All'])
    const statuses: number[] = []
    for (const path of ['/users', '/groups', '/applications'])
      statuses.push((await client.get(path)).status)
    assert.deepEqual(statuses, [200, 200, 403])
  })

  it('cannot have a role', async () => {
    const { clientWith } = await sampleGraph()
    const client = await clientWith([
      'User.Read.All',
      'Application.Read.All',
      'AppRoleAssignment.ReadWrite.All',
    ])
    const person = (await client.get('/users/mei@contoso.example')).body
    const graph = (await client.get(`/servicePrincipals(appId='${graphAppId}')`)).body
    const { status, body } = await client.post(`/servicePrincipals/${graph.id}/appRoleAssignedTo`, {
      principalId: person.id,
      resourceId: graph.id,
      appRoleId: graphRoles['User.Read.All'].id,
    })
    assert.equal(status, 400)
    assert.match(body.error.message, /^Not a valid reference update/)
  })

  it('cannot be changed', async () => {
    const client = await reader()
    for (const change of [client.post('/users', {}), client.delete('/users/mei@contoso.example')])
      assert.equal((await change).status, 405)
  })

  it('can be counted only with the header for advanced queries', async () => {
    const client = await reader()
    assert.equal((await client.get('/users/$count')).status, 400)
    assert.equal(Number((await client.get('/groups/$count', undefined, advanced)).body), 0)
  })
})

it('a tenant has no groups', async () => {
  const filter = "displayName eq 'x' and mailNickname eq 'y'"
  assert.deepEqual((await (await reader()).get(`/groups?$top=5&$filter=${filter}`)).body.value, [])
})
