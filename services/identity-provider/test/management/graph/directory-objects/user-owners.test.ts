import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fabrikam, type GraphClient } from '../../sample-graph.ts'
import { agentType, blueprintType, sponsored, withAgent } from '../agents/sample-agents.ts'

const origin = 'https://graph.microsoft.com/v1.0'
const eventual = { consistencylevel: 'eventual' }

async function withUsers() {
  const sample = await withAgent()
  const { body } = await sample.admin.get('/users?$select=id,givenName')
  const [first = '', second = ''] = body.value.map(({ id }) => id)
  const foreigner = await sample.clientWith(['User.Read.All'], fabrikam)
  const [foreign = ''] = (await foreigner.get('/users?$select=id')).body.value.map(({ id }) => id)
  return { ...sample, first, second, foreign }
}

type Sample = Awaited<ReturnType<typeof withUsers>>
type Kind = {
  readonly name: string
  readonly set: string
  /** The request that creates an object. */
  readonly body: (sample: Sample) => Promise<object> | object
  readonly type: string
  readonly cast?: string
}

const appIdOfNew = async ({ admin }: Sample) =>
  (await admin.post('/applications', { displayName: 'Of principal' })).body.appId

const kinds: readonly Kind[] = [
  {
    name: 'an application',
    set: '/applications',
    body: () => ({ displayName: 'Owned' }),
    type: 'application',
  },
  {
    name: 'a service principal',
    set: '/servicePrincipals',
    body: async (sample) => ({ appId: await appIdOfNew(sample) }),
    type: 'servicePrincipal',
  },
  {
    name: 'a blueprint',
    set: `/applications/${blueprintType}`,
    body: () => ({ displayName: 'Owned', ...sponsored }),
    type: 'agentIdentityBlueprint',
    cast: blueprintType,
  },
  {
    name: 'an agent',
    set: `/servicePrincipals/${agentType}`,
    body: ({ blueprint }) => ({
      displayName: 'Owned',
      agentIdentityBlueprintId: blueprint.appId,
      ...sponsored,
    }),
    type: 'agentIdentity',
    cast: agentType,
  },
]

const idsAt = async ({ get }: GraphClient, path: string) =>
  (await get(path)).body.value.map(({ id }) => id)
const numberAt = async ({ get }: GraphClient, path: string) =>
  Number((await get(`${path}/$count`, undefined, eventual)).body)

describe('a user as an owner (entra E313)', () => {
  for (const { name, set, body, type, cast } of kinds)
    it(`is set for ${name} at its creation, listed, counted, added, and removed even as the last owner`, async () => {
      const sample = await withUsers()
      const { admin, first, second } = sample
      const bound = { 'owners@odata.bind': [`${origin}/users/${first}`] }
      const created = await admin.post(set, { ...(await body(sample)), ...bound })
      assert.equal(created.status, 201)
      const base = `/${set.split('/')[1]}/${created.body.id}`
      const path = cast === undefined ? base : `${base}/${cast}`
      const { value: all } = (await admin.get(`${path}/owners`)).body
      const user = all.find(({ id }) => id === first)
      assert.partialDeepStrictEqual(user, { '@odata.type': '#microsoft.graph.user', id: first })
      assert.match(String(user?.userPrincipalName), /@contoso\.example$/)
      assert.ok(!('appRoles' in (user ?? {})) && !('userType' in (user ?? {})))

      const add = { '@odata.id': `${origin}/directoryObjects/${second}` }
      assert.equal((await admin.post(`${path}/owners/$ref`, add)).status, 204)
      const twice = await admin.post(`${path}/owners/$ref`, add)
      assert.equal(twice.status, 400)
      assert.match(twice.body.error.message, /references already exist .*'owners'/)
      const other = { '@odata.id': `${origin}/servicePrincipals/${admin.principalId}` }
      // The creator of a blueprint is its owner already.
      const status = /Blueprint/.test(type) ? 400 : 204
      assert.equal((await admin.post(`${path}/owners/$ref`, other)).status, status)

      const lists = [
        ['', 3],
        ['/microsoft.graph.user', 2],
        ['/graph.servicePrincipal', 1],
      ] as const
      for (const [of, count] of lists) {
        assert.equal((await idsAt(admin, `${path}/owners${of}`)).length, count, of)
        assert.equal(await numberAt(admin, `${path}/owners${of}`), count, of)
        assert.equal((await admin.get(`${path}/owners${of}/$count`)).status, 400)
      }
      const filtered = await idsAt(admin, `${path}/owners?$filter=id eq '${first}'&$select=id`)
      assert.deepEqual(filtered, [first])
      assert.equal((await admin.get(`${path}/owners?$top=1`)).body.value.length, 1)
      const expanded = (await admin.get(`${base}?$expand=owners`)).body.owners as { id: string }[]
      assert.deepEqual(
        expanded.map(({ id }) => id).sort(),
        [first, second, admin.principalId].sort(),
      )

      const owned = await admin.get(`/users/${first}/ownedObjects`)
      assert.partialDeepStrictEqual(owned.body.value, [
        { '@odata.type': `#microsoft.graph.${type}`, id: created.body.id },
      ])
      const isOfApplications = base.startsWith('/applications')
      const byType = [
        ['microsoft.graph.application', isOfApplications],
        ['graph.servicePrincipal', !isOfApplications],
        ['microsoft.graph.group', false],
      ] as const
      for (const [of, has] of byType) {
        const objects = `/users/${first}/ownedObjects/${of}`
        assert.deepEqual(await idsAt(admin, objects), has ? [created.body.id] : [], of)
        assert.equal(await numberAt(admin, objects), has ? 1 : 0)
      }
      assert.equal(await numberAt(admin, `/users/${first}/ownedObjects`), 1)

      for (const id of [first.toUpperCase(), second, admin.principalId])
        assert.equal((await admin.delete(`${path}/owners/${id}/$ref`)).status, 204)
      assert.equal((await admin.delete(`${path}/owners/${first}/$ref`)).status, 404)
      assert.deepEqual(await idsAt(admin, `${path}/owners`), [])
      assert.deepEqual(await idsAt(admin, `/users/${first}/ownedObjects`), [])
    })

  it('can be added in a batch and by an upsert, and appears in the delta', async () => {
    const { admin, agent, first, second } = await withUsers()
    const { body: before } = await admin.get('/servicePrincipals/delta?$select=id')
    const content = { headers: { 'content-type': 'application/json' } }
    const { body } = await admin.post('/$batch', {
      requests: [first, second].map((id, index) => ({
        id: String(index),
        method: 'POST',
        url: `/servicePrincipals/${agent.id}/owners/$ref`,
        body: { '@odata.id': `${origin}/users('${id}')` },
        ...content,
      })),
    })
    const statuses = (body.responses as { status: number }[]).map(({ status }) => status)
    assert.deepEqual(statuses, [204, 204])
    const link = String(before['@odata.deltaLink'])
      .replace(origin, '')
      .replace(/^.*\/v1\.0/, '')
    assert.deepEqual(await idsAt(admin, link), [agent.id])

    const upsert = await admin.patch(
      "/applications(uniqueName='owned')",
      { displayName: 'Owned', 'owners@odata.bind': [`${origin}/users/${first}`] },
      { prefer: 'create-if-missing' },
    )
    assert.equal(upsert.status, 201)
    assert.deepEqual(await idsAt(admin, `/applications/${upsert.body.id}/owners`), [first])
    const change = { 'owners@odata.bind': [`${origin}/users/${second}`] }
    const refused = await admin.patch(`/applications/${upsert.body.id}`, change)
    assert.equal(refused.status, 400)
  })

  it('is also found among directory objects', async () => {
    const { admin, first } = await withUsers()
    const { body } = await admin.get(`/directoryObjects/${first}`)
    assert.partialDeepStrictEqual(body, { '@odata.type': '#microsoft.graph.user', id: first })
    for (const [types, count] of [
      [undefined, 2],
      [['user'], 1],
      [['application', 'servicePrincipal'], 1],
    ] as const) {
      const ids = [first, admin.principalId]
      const found = await admin.post('/directoryObjects/getByIds', { ids, types })
      assert.equal(found.body.value.length, count)
    }
    assert.equal((await admin.delete(`/directoryObjects/${first}`)).status, 404)
  })

  it('is refused if it is foreign, unknown, an application (entra E314) or set twice', async () => {
    const { admin, blueprint, first, foreign } = await withUsers()
    const { body: application } = await admin.post('/applications', { displayName: 'Other' })
    const path = `/applications/${application.id}`
    const rows = [
      [foreign, 404, /does not exist/],
      [crypto.randomUUID(), 404, /does not exist/],
      [
        blueprint.id,
        400,
        `The reference target 'Application_${blueprint.id}' of type 'Application' is invalid for the 'owners' reference.`,
      ],
      ['amara@contoso.example', 400, /must be a GUID/],
    ] as const
    for (const [id, status, message] of rows) {
      const reference = `${origin}/directoryObjects/${id}`
      const added = await admin.post(`${path}/owners/$ref`, { '@odata.id': reference })
      const bound = await admin.post('/applications', {
        displayName: 'New',
        'owners@odata.bind': [reference],
      })
      for (const reply of [added, bound]) {
        assert.equal(reply.status, status)
        assert.match(reply.body.error.message, new RegExp(message))
      }
    }
    const reference = `${origin}/users/${first}`
    const twice = { displayName: 'New', 'owners@odata.bind': [reference, reference] }
    assert.equal((await admin.post('/applications', twice)).status, 400)
  })

  it('appears only with its ID to a client that may not read users', async () => {
    const sample = await withUsers()
    const { admin, agent, clientWith, first } = sample
    const reader = await clientWith(['Application.Read.All'])
    const both = await clientWith(['Application.Read.All', 'User.Read.All'])
    const owner = { '@odata.id': `${origin}/users/${first}` }
    await admin.post(`/servicePrincipals/${agent.id}/owners/$ref`, owner)
    const usersAt = async (client: GraphClient) => {
      const { body } = await client.get(`/servicePrincipals/${agent.id}/owners`)
      const one = await client.get(`/servicePrincipals/${agent.id}?$expand=owners`)
      const list = await client.get(`/servicePrincipals?$expand=owners&$filter=id eq '${agent.id}'`)
      const object = await client.get(`/directoryObjects/${first}`)
      const found = await client.post('/directoryObjects/getByIds', { ids: [first] })
      return [
        body.value,
        one.body.owners,
        list.body.value[0]?.owners,
        [object.body],
        found.body.value,
      ].map((users) => (users as { id: string; displayName: unknown; mail: unknown }[])[0])
    }
    for (const user of await usersAt(reader)) {
      assert.partialDeepStrictEqual(user, { id: first, displayName: null, mail: null })
      assert.doesNotMatch(JSON.stringify(user), /contoso\.example/)
    }
    for (const user of await usersAt(both)) assert.ok(typeof user?.displayName === 'string')
    const hidden = await reader.get(
      `/servicePrincipals/${agent.id}/owners?$filter=startswith(displayName,'A')`,
    )
    assert.notDeepEqual(hidden.body.value?.length, 1)
    for (const client of [reader, await clientWith(['User.Read.All'])])
      assert.equal((await client.get(`/users/${first}/ownedObjects`)).status, 403)
  })

  it('neither grants nor removes a permission', async () => {
    const { admin, clientWith, first } = await withUsers()
    const { body } = await admin.post('/applications', { displayName: 'Owned' })
    const path = `/applications/${body.id}/owners`
    const reader = await clientWith(['Application.Read.All'])
    const owner = { '@odata.id': `${origin}/users/${first}` }
    assert.equal((await reader.post(`${path}/$ref`, owner)).status, 403)
    assert.equal((await admin.post(`${path}/$ref`, owner)).status, 204)
    assert.equal((await reader.delete(`${path}/${first}/$ref`)).status, 403)
    assert.equal((await reader.patch(`/applications/${body.id}`, { notes: 'x' })).status, 403)
  })

  it('remains when its object is deleted and restored', async () => {
    const { admin, first } = await withUsers()
    const bound = { 'owners@odata.bind': [`${origin}/users/${first}`] }
    const { body } = await admin.post('/applications', { displayName: 'Owned', ...bound })
    await admin.delete(`/applications/${body.id}`)
    assert.deepEqual(await idsAt(admin, `/users/${first}/ownedObjects`), [])
    await admin.post(`/directory/deletedItems/${body.id}/restore`)
    assert.deepEqual(await idsAt(admin, `/applications/${body.id}/owners`), [first])
    assert.deepEqual(await idsAt(admin, `/users/${first}/ownedObjects`), [body.id])
  })
})

describe('the objects that an agent owns', () => {
  for (const name of ['ownedObjects', 'createdObjects'])
    it(`are listed and counted as ${name} behind a cast`, async () => {
      const { admin, agent, blueprint, principal, clientWith } = await withUsers()
      const owner = { '@odata.id': `${origin}/directoryObjects/${agent.id}` }
      await admin.post(`/applications/${blueprint.id}/owners/$ref`, owner)
      const expected = name === 'ownedObjects' ? [blueprint.id] : []
      const reader = await clientWith(['AgentIdentity.Read.All'])
      for (const client of [admin, reader]) {
        const path = `/servicePrincipals/${agent.id}/${agentType}/${name}`
        assert.deepEqual(await idsAt(client, path), expected)
        const [one] = (await client.get(path)).body.value
        if (one !== undefined) assert.equal(one.appId, client === admin ? blueprint.appId : null)
        assert.deepEqual(await idsAt(client, `${path}/microsoft.graph.application`), expected)
        assert.equal(await numberAt(client, path), expected.length)
      }
      const other = `/servicePrincipals/${principal.id}/${agentType}/${name}`
      assert.equal((await admin.get(other)).status, 404)
      assert.equal((await reader.get(`/servicePrincipals/${agent.id}/${name}`)).status, 403)
    })
})
