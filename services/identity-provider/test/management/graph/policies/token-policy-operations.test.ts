import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { graphAppId } from '@greeting/directory'
import { allGraphRoles, type Reply, sampleGraph } from '../../sample-graph.ts'

const lifetimes = '/policies/tokenLifetimePolicies'
const mappings = '/policies/claimsMappingPolicies'
const lifetime = (text: string) => [
  JSON.stringify({ TokenLifetimePolicy: { Version: 1, AccessTokenLifetime: text } }),
]
const mapping = ['{"ClaimsMappingPolicy":{"Version":1,"IncludeBasicClaimSet":"true"}}']
const eightHours = { displayName: 'Eight hours', definition: lifetime('08:00:00') }

async function tenantWithApi() {
  const warnings: string[] = []
  const sample = await sampleGraph({ warn: ({ message }) => warnings.push(message) })
  const admin = await sample.clientWith(allGraphRoles)
  const { body: api } = await admin.post('/applications', { displayName: 'Orders' })
  const { body: principal } = await admin.post('/servicePrincipals', { appId: api.appId })
  const create = async (path: string, body: object) => (await admin.post(path, body)).body.id
  const assign = (object: string, path: string, id: string) =>
    admin.post(`${object}/${path.replace('/policies/', '')}/$ref`, {
      '@odata.id': `https://graph.microsoft.com/v1.0${path}/${id}`,
    })
  const objects = [`/applications/${api.id}`, `/servicePrincipals/${principal.id}`] as const
  return { admin, api, principal, create, assign, objects, warnings }
}

const code = ({ status, body }: Reply) => `${status} ${body.error?.code ?? ''}`.trim()

describe('a token lifetime policy', () => {
  it('is created, shown, changed and deleted', async () => {
    const { admin } = await tenantWithApi()
    const { status, body } = await admin.post(lifetimes, eightHours)
    assert.equal(status, 201)
    const { '@odata.context': _context, ...shown } = body
    assert.deepEqual(shown, {
      id: body.id,
      deletedDateTime: null,
      description: null,
      ...eightHours,
      isOrganizationDefault: false,
    })
    const one = `${lifetimes}/${body.id}`
    const definition = lifetime('00:10:00')
    assert.equal((await admin.patch(one, { definition })).status, 204)
    assert.partialDeepStrictEqual((await admin.get(one)).body, { ...eightHours, definition })
    assert.equal((await admin.delete(one)).status, 204)
    assert.deepEqual((await admin.get(lifetimes)).body.value, [])
  })

  it('is assigned to applications and service principals, which list it', async () => {
    const { admin, assign, create, objects, api, principal } = await tenantWithApi()
    const id = await create(lifetimes, eightHours)
    for (const object of objects) {
      assert.equal((await assign(object, lifetimes, id)).status, 204)
      const { body } = await admin.get(`${object}/tokenLifetimePolicies`)
      assert.deepEqual(
        body.value.map((one) => one.id),
        [id],
      )
    }
    const { body } = await admin.get(`${lifetimes}/${id}/appliesTo`)
    assert.deepEqual(body.value.map((one) => one.id).sort(), [api.id, principal.id].sort())
    const removed = await admin.delete(`${objects[0]}/tokenLifetimePolicies/${id}/$ref`)
    assert.equal(removed.status, 204)
    const left = await admin.get(`${objects[0]}/tokenLifetimePolicies`)
    assert.deepEqual(left.body.value, [])
  })

  it('is also assigned through the path of the beta version', async () => {
    const { admin, create, objects } = await tenantWithApi()
    const id = await create(lifetimes, eightHours)
    const reference = { '@odata.id': `https://graph.microsoft.com/beta${lifetimes}/${id}` }
    for (const object of objects) {
      const assigned = `${object}/tokenLifetimePolicies`
      assert.equal((await admin.post(assigned, reference)).status, 204)
      assert.equal((await admin.get(assigned)).body.value.length, 1)
      assert.equal((await admin.post(`${assigned}/$ref`, reference)).status, 400)
    }
  })

  it('is unique for an object, and only one is the default (entra E249, entra E250)', async () => {
    const { admin, assign, create, objects } = await tenantWithApi()
    const [one, other] = [await create(lifetimes, eightHours), await create(lifetimes, eightHours)]
    const asDefault = { isOrganizationDefault: true }
    await assign(objects[0], lifetimes, one)
    assert.equal((await admin.patch(`${lifetimes}/${one}`, asDefault)).status, 204)
    const taken = '409 Request_MultipleObjectsWithSameKeyValue'
    assert.equal(code(await assign(objects[0], lifetimes, other)), taken)
    assert.equal(code(await assign(objects[0], lifetimes, one)), '400 Request_BadRequest')
    assert.equal(code(await admin.patch(`${lifetimes}/${other}`, asDefault)), taken)
    assert.equal(code(await admin.post(lifetimes, { ...eightHours, ...asDefault })), taken)
  })

  const rows = [
    ['no definition', { displayName: 'x' }, /'displayName' and 'definition' are required/],
    ['no name', { definition: lifetime('01:00:00') }, /are required/],
    ['24 hours', { displayName: 'x', definition: lifetime('24:00:00') }, /has an invalid value/],
    ['a claims mapping', { displayName: 'x', definition: mapping }, /has an invalid value/],
    [
      'two definitions',
      { displayName: 'x', definition: [...mapping, ...mapping] },
      /more than 1 entries/,
    ],
    [
      'a long definition',
      { displayName: 'x', definition: ['x'.repeat(10_001)] },
      /longer than 10000/,
    ],
    ['an unknown member', { ...eightHours, type: 'x' }, /ust not have the property 'type'/],
  ] as const
  for (const [name, body, sentence] of rows)
    it(`is refused with ${name} (entra E248)`, async () => {
      const { admin } = await tenantWithApi()
      const refused = await admin.post(lifetimes, body)
      assert.equal(code(refused), '400 Request_BadRequest')
      assert.match(refused.body.error.message, sentence)
    })
})

describe('a claims mapping policy', () => {
  it('is assigned to a service principal, and the log reports that tokens ignore it', async () => {
    const { admin, assign, create, objects, warnings } = await tenantWithApi()
    const id = await create(mappings, { displayName: 'Mapping', definition: mapping })
    assert.equal((await assign(objects[1], mappings, id)).status, 204)
    assert.deepEqual(warnings, [
      'tokens of an API with this policy need acceptMappedClaims, and have no mapped claims here',
    ])
    const { body } = await admin.get(`${objects[1]}/claimsMappingPolicies`)
    assert.partialDeepStrictEqual(body.value, [{ id, definition: mapping }])
    assert.equal((await assign(objects[0], mappings, id)).status, 400)
  })

  it('can be assigned to the service principal of Microsoft Graph, and replaced (entra E358)', async () => {
    const { admin, assign, create } = await tenantWithApi()
    const graph = `/servicePrincipals(appId='${graphAppId}')`
    const ids = [1, 2].map(() => create(mappings, { displayName: 'Map', definition: mapping }))
    for (const id of await Promise.all(ids)) {
      assert.equal((await assign(graph, mappings, id)).status, 204)
      const { body } = await admin.get(`${graph}/claimsMappingPolicies`)
      assert.partialDeepStrictEqual(body.value, [{ id, definition: mapping }])
      // An assignment of a deleted policy stays, and is replaced.
      assert.equal((await admin.delete(`${mappings}/${id}`)).status, 204)
    }
    assert.equal((await admin.patch(graph, { accountEnabled: false })).status, 403)
    const lifetime = await create(lifetimes, eightHours)
    assert.equal((await assign(graph, lifetimes, lifetime)).status, 204)
  })
})
