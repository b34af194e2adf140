import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { contoso } from '../sample-graph.ts'
import { withApi } from './applications/sample-api.ts'

const eventual = { consistencylevel: 'eventual' }
const noRole = '00000000-0000-0000-0000-000000000000'

/** An API with 21 clients, one federated credential, one owner and grants of two clients. */
async function withMany(count = 21) {
  const sample = await withApi()
  const { admin, api, path } = sample
  const { body: resource } = await admin.post('/servicePrincipals', { appId: api.appId })
  const principals: string[] = []
  for (let number = 0; number < count; number += 1) {
    const { body: client } = await admin.post('/applications', { displayName: `Client ${number}` })
    const { body: principal } = await admin.post('/servicePrincipals', { appId: client.appId })
    principals.push(principal.id)
    const sent = { principalId: principal.id, resourceId: resource.id, appRoleId: noRole }
    await admin.post(`/servicePrincipals/${resource.id}/appRoleAssignedTo`, sent)
    if (number > 1) continue
    const grant = { clientId: principal.id, resourceId: resource.id, consentType: 'AllPrincipals' }
    await admin.post('/oauth2PermissionGrants', { ...grant, scope: 'Orders.Read' })
  }
  await admin.post(`${path}/federatedIdentityCredentials`, {
    name: 'orders',
    issuer: 'https://issuer.example',
    subject: 'orders',
    audiences: ['api://AzureADTokenExchange'],
  })
  const owner = { '@odata.id': `https://graph.microsoft.com/v1.0/directoryObjects/${resource.id}` }
  await admin.post(`${path}/owners/$ref`, owner)
  return { ...sample, principals, resource: `/servicePrincipals/${resource.id}` }
}

describe('the number of objects in a list (entra E347)', () => {
  it('is plain text at /$count with the header for advanced queries', async () => {
    const { admin, app, path, principals, resource } = await withMany(3)
    const client = `/servicePrincipals/${principals[0]}`
    const rows: readonly (readonly [list: string, count: number])[] = [
      [`${resource}/appRoleAssignedTo`, 3],
      [`${client}/appRoleAssignments`, 1],
      [`${client}/oauth2PermissionGrants`, 1],
      ['/oauth2PermissionGrants', 2],
      [`${path}/federatedIdentityCredentials`, 1],
      [`${path}/extensionProperties`, 0],
      [`${path}/owners`, 1],
      [`${path}/appManagementPolicies`, 0],
      ['/policies/appManagementPolicies', 0],
      ['/organization', 1],
      ['/domains', 2],
    ]
    const authorization = `Bearer ${contoso.id}:${admin.appId}`
    for (const [list, count] of rows) {
      const response = await app.request(`${list}/$count`, {
        headers: { authorization, ...eventual },
      })
      const text = await response.text()
      assert.deepEqual([list, response.status, text], [list, 200, `${count}`])
      assert.match(response.headers.get('content-type') ?? '', /^text\/plain/)
      const { body, status } = await admin.get(`${list}/$count`)
      assert.deepEqual([status, body.error.code], [400, 'Request_UnsupportedQuery'])
      assert.equal(
        body.error.message,
        "Raw count (/$count) is not supported because the 'ConsistencyLevel:eventual' header is missing. Refer to https://aka.ms/graph-docs/advanced-queries for more information",
      )
    }
    const filter = `clientId%20eq%20'${principals[0]}'`
    const headers = { authorization, ...eventual }
    const found = await app.request(`/oauth2PermissionGrants/$count?$filter=${filter}`, { headers })
    assert.equal(await found.text(), '1')
  })
})

describe('$expand', () => {
  it('adds at most 20 related objects, with the properties in parentheses', async () => {
    const { admin, api, path, principals, resource } = await withMany()
    const { body: assigned } = await admin.get(`${resource}?$expand=appRoleAssignedTo`)
    assert.equal((assigned.appRoleAssignedTo as object[]).length, 20)
    const client = `/servicePrincipals/${principals[0]}`
    const options = 'appRoleAssignments($select=appRoleId),appRoleAssignedTo( $select=id )'
    const { body: both } = await admin.get(`${client}?$expand=${encodeURIComponent(options)}`)
    assert.deepEqual(both.appRoleAssignments, [{ appRoleId: noRole }])
    assert.deepEqual(both.appRoleAssignedTo, [])
    const { body: credentials } = await admin.get(`${path}?$expand=federatedIdentityCredentials`)
    assert.partialDeepStrictEqual(credentials.federatedIdentityCredentials, [{ name: 'orders' }])
    const { body: owned } = await admin.get(`${path}?$expand=owners($select=id)&$select=appId`)
    const [owner] = owned.owners as { id: string }[]
    assert.equal(`/servicePrincipals/${owner?.id}`, resource)
    assert.deepEqual(
      Object.keys(owned).filter((name) => !name.startsWith('@')),
      ['appId', 'owners'],
    )
    const names = Object.keys(owner ?? {}).filter((name) => !name.startsWith('@'))
    assert.deepEqual(names, ['id'])
    const query = `$expand=appRoleAssignments($select=appRoleId)&$filter=appId eq '${api.appId}'`
    const { status } = await admin.get(`/servicePrincipals?${query.replaceAll(' ', '%20')}`)
    assert.equal(status, 200)
  })
})

describe('a query that is not supported', () => {
  const termFault =
    /^Parsing OData Select and Expand failed: Term '.*' is not valid in a \$select or \$expand expression\.$/
  const rows: readonly (readonly [query: string, code: string, message: RegExp])[] = [
    ['/applications?$expand=owners,nothing', 'BadRequest', /Could not find a property/],
    ['/applications?$expand=owners($select=nothing)', 'BadRequest', /Could not find a property/],
    ...['owners)', 'owners(', 'owners(($select=id))', ',owners', 'owners,', 'owners,,'].map(
      (term): [string, string, RegExp] => [
        `/applications?$expand=${term}`,
        'BadRequest',
        termFault,
      ],
    ),
    ['/applications?$select=id,@odata.type', 'BadRequest', termFault],
    [
      '/applications?$expand=owners($filter=id)',
      'Request_UnsupportedQuery',
      /option '\$filter' is not supported here/,
    ],
    [
      '/applications?$expand=extensionProperties',
      'BadRequest',
      /^\$expand of 'extensionProperties' is not supported here\.$/,
    ],
    [
      '/servicePrincipals?$expand=claimsMappingPolicies($select=id)',
      'BadRequest',
      /^\$expand of 'claimsMappingPolicies' is not supported here\.$/,
    ],
    [
      '/applications?$filter=keyCredentials/any(k:k/endDateTime le 2030-01-02T12:00:00Z)',
      'Request_UnsupportedQuery',
      /^Complex query on property keyCredentials is not supported\.$/,
    ],
    [
      '/applications?$filter=passwordCredentials/any(k:k/startDateTime ge 2030-01-02T12:00:00Z)&$count=true',
      'Request_UnsupportedQuery',
      /^Complex query on property passwordCredentials is not supported\.$/,
    ],
  ]
  for (const [query, code, message] of rows)
    it(`is refused: ${query} (entra E348, E359)`, async () => {
      const { admin } = await withApi()
      const { body, status } = await admin.get(query.replaceAll(' ', '%20'), undefined, eventual)
      assert.deepEqual([status, body.error.code], [400, code])
      assert.match(body.error.message, message)
    })
})
