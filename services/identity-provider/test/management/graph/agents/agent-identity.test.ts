import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Reply } from '../../sample-graph.ts'
import {
  agentType,
  blueprintType,
  principalType,
  sponsored,
  sponsorId,
  withAgent,
} from './sample-agents.ts'

type Sample = Awaited<ReturnType<typeof withAgent>>

const idsIn = ({ body }: Reply) => body.value.map(({ id }) => id)

describe('agent identities in Microsoft Graph', () => {
  it('are returned with the documented properties when they are created', async () => {
    const { admin, blueprint, create } = await withAgent()
    const { status, headers, body } = await create({ displayName: 'Second' })
    assert.equal(status, 201)
    assert.equal(headers.get('location')?.endsWith(`/${body.id}`), true)
    const shown = {
      '@odata.type': '#microsoft.graph.agentIdentity',
      createdByAppId: admin.appId,
      displayName: 'Second',
      servicePrincipalType: 'ServiceIdentity',
      tags: [],
      agentIdentityBlueprintId: blueprint.appId,
      appId: body.id,
    }
    for (const [name, value] of Object.entries(shown)) assert.deepEqual(body[name], value, name)
  })

  it('belong to a blueprint principal with documented members that no other object has', async () => {
    const { admin, agent, blueprint, principal } = await withAgent()
    const members = { publisherName: 'Contoso', publishedPermissionScopes: [] }
    await admin.delete(`/servicePrincipals/${principal.id}`)
    const created = await admin.post(`/servicePrincipals/${principalType}`, {
      appId: blueprint.appId,
    })
    const shown = { ...members, createdByAppId: admin.appId }
    assert.partialDeepStrictEqual(created.body, shown)
    const path = `/servicePrincipals/${created.body.id}`
    assert.partialDeepStrictEqual((await admin.get(path)).body, shown)
    assert.equal((await admin.patch(path, (await admin.get(path)).body)).status, 204)
    for (const id of [agent.id, admin.principalId]) {
      const { body } = await admin.get(`/servicePrincipals/${id}`)
      for (const name of Object.keys(members)) assert.ok(!(name in body), name)
    }
  })

  const paths: readonly ((sample: Sample) => [path: string, id: string])[] = [
    ({ blueprint }) => [`/applications/${blueprint.id}/${blueprintType}`, blueprint.id],
    ({ blueprint }) => [`/applications/${blueprintType}/${blueprint.id}`, blueprint.id],
    ({ blueprint }) => [`/applications/${blueprint.appId}/${blueprintType}`, blueprint.id],
    ({ blueprint }) => [`/applications/${blueprintType}/${blueprint.appId}`, blueprint.id],
    ({ blueprint }) => [`/applications/${blueprint.appId}`, blueprint.id],
    ({ blueprint }) => [
      `/applications(appId='${blueprint.appId}')/graph.agentIdentityBlueprint`,
      blueprint.id,
    ],
    ({ principal }) => [`/servicePrincipals/${principal.id}/${principalType}`, principal.id],
    ({ agent }) => [`/servicePrincipals/${agent.id}/${agentType}`, agent.id],
    ({ agent }) => [`/servicePrincipals/${agent.id}/Microsoft.Graph.AgentIdentity`, agent.id],
    ({ agent }) => [`/servicePrincipals/graph.agentidentity/${agent.id}`, agent.id],
    ({ agent }) => [`/servicePrincipals(appId='${agent.id}')`, agent.id],
    ({ agent }) => [`/directoryObjects/${agent.id}`, agent.id],
  ]
  for (const pathOf of paths)
    it(`are found at ${pathOf({ blueprint: { id: '{id}', appId: '{appId}' }, principal: { id: '{id}' }, agent: { id: '{id}' } } as never)[0]}`, async () => {
      const sample = await withAgent()
      const [path, id] = pathOf(sample)
      const { status, body } = await sample.admin.get(path)
      assert.equal(status, 200)
      assert.equal(body.id, id)
    })

  it('are not found when a cast names another type', async () => {
    const { admin, agent, blueprint, principal } = await withAgent()
    for (const path of [
      `/servicePrincipals/${agent.id}/${principalType}`,
      `/servicePrincipals/${principal.id}/${agentType}`,
      `/servicePrincipals/${admin.principalId}/${agentType}`,
      `/applications/${blueprint.id}`.replace(blueprint.id, admin.appId),
    ]) {
      assert.equal((await admin.get(path)).body.error?.code, 'Request_ResourceNotFound', path)
    }
  })

  it('are listed and counted by type, and named in every list', async () => {
    const { admin, agent, blueprint, principal } = await withAgent()
    assert.deepEqual(idsIn(await admin.get(`/servicePrincipals/${agentType}`)), [agent.id])
    assert.deepEqual(idsIn(await admin.get(`/servicePrincipals/${principalType}`)), [principal.id])
    assert.deepEqual(idsIn(await admin.get(`/applications/${blueprintType}`)), [blueprint.id])
    const { body } = await admin.get('/servicePrincipals?$select=id')
    const types = new Map(body.value.map((one) => [one.id, one['@odata.type']]))
    assert.equal(types.get(agent.id), '#microsoft.graph.agentIdentity')
    assert.equal(types.get(principal.id), '#microsoft.graph.agentIdentityBlueprintPrincipal')
    assert.equal(types.get(admin.principalId), undefined)
    const delta = await admin.get('/servicePrincipals/delta?$select=id')
    const changed = delta.body.value.find(({ id }) => id === agent.id)
    assert.equal(changed?.['@odata.type'], '#microsoft.graph.agentIdentity')
    const found = await admin.post('/directoryObjects/getByIds', {
      ids: [agent.id, principal.id, admin.principalId],
      types: ['agentIdentity'],
    })
    assert.deepEqual(idsIn(found), [agent.id])
    const filter = `$filter=agentIdentityBlueprintId eq '${blueprint.appId}'`
    assert.deepEqual(idsIn(await admin.get(`/servicePrincipals/${agentType}?${filter}`)), [
      agent.id,
    ])
  })

  it('are changed, deleted and restored, under either name of their type', async () => {
    const { admin, agent } = await withAgent()
    const path = `/servicePrincipals/${agent.id}/${agentType}`
    const change = { '@odata.type': 'Microsoft.Graph.AgentIdentity', displayName: 'Other' }
    assert.equal((await admin.patch(path, { ...change, accountEnabled: false })).status, 204)
    const { body } = await admin.get(path)
    assert.deepEqual([body.displayName, body.accountEnabled], ['Other', false])
    assert.equal((await admin.delete(path)).status, 204)
    const deleted = '/directory/deletedItems'
    assert.deepEqual(idsIn(await admin.get(`${deleted}/${agentType}`)), [agent.id])
    assert.deepEqual(idsIn(await admin.get(`${deleted}/${principalType}`)), [])
    const restored = await admin.post(`${deleted}/${agent.id}/restore`)
    assert.equal(restored.body['@odata.type'], '#microsoft.graph.agentIdentity')
    assert.equal((await admin.get(path)).status, 200)
  })

  it('are not restored while the principal of their blueprint is missing', async () => {
    const { admin, agent, principal } = await withAgent()
    await admin.delete(`/servicePrincipals/${agent.id}`)
    await admin.delete(`/servicePrincipals/${principal.id}`)
    const { body } = await admin.post(`/directory/deletedItems/${agent.id}/restore`)
    assert.equal(body.error.code, 'AgentIdentity_AgentBlueprintPrincipalDoesNotExist')
  })

  it('are purged together with their blueprint or with its principal', async () => {
    for (const kind of ['blueprint', 'principal'] as const) {
      const sample = await withAgent()
      const { admin, agent, log } = sample
      const path = kind === 'blueprint' ? '/applications' : '/servicePrincipals'
      await admin.delete(`${path}/${sample[kind].id}`)
      await admin.delete(`/directory/deletedItems/${sample[kind].id}`)
      assert.equal(log.directory.servicePrincipal(agent.id), undefined, kind)
    }
  })

  type Attempt = (sample: Sample) => Promise<Reply>
  const refused: readonly (readonly [what: string, code: string, attempt: Attempt])[] = [
    [
      'a secret of an agent',
      'AgentIdentity_CredentialsNotSupported',
      ({ admin, agent }) => admin.post(`/servicePrincipals/${agent.id}/addPassword`, {}),
    ],
    [
      'a certificate of an agent',
      'AgentIdentity_CredentialsNotSupported',
      ({ admin, agent }) =>
        admin.patch(`/servicePrincipals/${agent.id}`, { keyCredentials: [{ key: 'AA==' }] }),
    ],
    [
      'a certificate of a new agent',
      'AgentIdentity_CredentialsNotSupported',
      ({ create }) => create({ keyCredentials: [{ key: 'AA==' }] }),
    ],
    [
      'an agent of an ordinary application',
      'AgentIdentity_IncompatibleParentType',
      ({ admin, create }) => create({ agentIdentityBlueprintId: admin.appId }),
    ],
    [
      'an agent of a blueprint without principal',
      'AgentIdentity_AgentBlueprintPrincipalDoesNotExist',
      async ({ admin, create, principal }) => {
        await admin.delete(`/servicePrincipals/${principal.id}`)
        return create()
      },
    ],
    [
      'an agent without sponsors',
      'Request_BadRequest',
      ({ create }) => create({ 'sponsors@odata.bind': [] }),
    ],
    [
      'an agent with a service principal as sponsor',
      'Request_BadRequest',
      ({ admin, create }) =>
        create({ 'sponsors@odata.bind': [`https://a.example/servicePrincipals/${admin.appId}`] }),
    ],
    [
      'an agent with a separate application ID',
      'Request_BadRequest',
      ({ create }) => create({ appId: sponsorId }),
    ],
    [
      'a blueprint without sponsors',
      'Request_BadRequest',
      ({ admin }) => admin.post(`/applications/${blueprintType}`, { displayName: 'New' }),
    ],
    [
      'a blueprint as a public client',
      'AgentBlueprint_IncompatibleProperty',
      ({ admin, blueprint }) =>
        admin.patch(`/applications/${blueprint.id}`, { isFallbackPublicClient: true }),
    ],
    [
      'a blueprint with redirect URIs',
      'AgentBlueprint_IncompatibleProperty',
      ({ admin }) =>
        admin.post(`/applications/${blueprintType}`, {
          displayName: 'New',
          ...sponsored,
          spa: { redirectUris: ['https://a.example'] },
        }),
    ],
    [
      'an ordinary application with sponsors',
      'Request_BadRequest',
      ({ admin }) => admin.post('/applications', { displayName: 'New', ...sponsored }),
    ],
    [
      'a blueprint principal of an ordinary application',
      'AgentBlueprintPrincipal_RequireAgentBlueprint',
      async ({ admin }) => {
        const { body } = await admin.post('/applications', { displayName: 'Ordinary' })
        return admin.post(`/servicePrincipals/${principalType}`, { appId: body.appId })
      },
    ],
    [
      'a body of another type',
      'BadRequest',
      ({ create }) => create({ '@odata.type': '#microsoft.graph.servicePrincipal' }),
    ],
    [
      'the type of agents for an ordinary object',
      'BadRequest',
      ({ admin }) =>
        admin.patch(`/servicePrincipals/${admin.principalId}`, {
          '@odata.type': '#microsoft.graph.agentIdentity',
          accountEnabled: true,
        }),
    ],
    [
      'another blueprint for an agent',
      'Request_BadRequest',
      ({ admin, agent }) =>
        admin.patch(`/servicePrincipals/${agent.id}`, { agentIdentityBlueprintId: admin.appId }),
    ],
  ]
  for (const [what, code, attempt] of refused)
    it(`refuse ${what} with ${code}, and change nothing`, async () => {
      const sample = await withAgent()
      const before = sample.log.directory.servicePrincipal(sample.agent.id)
      const { status, body } = await attempt(sample)
      assert.equal(status, 400)
      assert.equal(body.error.code, code)
      assert.equal(sample.log.directory.servicePrincipal(sample.agent.id), before)
      assert.deepEqual(sample.reports, [])
    })

  it('can be created without a cast when the body names the type', async () => {
    const { admin } = await withAgent()
    const { status, body } = await admin.post('/applications', {
      '@odata.type': 'Microsoft.Graph.AgentIdentityBlueprint',
      displayName: 'New',
      ...sponsored,
    })
    assert.equal(status, 201)
    assert.equal(body['@odata.type'], '#microsoft.graph.agentIdentityBlueprint')
    const principal = await admin.post('/servicePrincipals', { appId: body.appId })
    const type = '#microsoft.graph.agentIdentityBlueprintPrincipal'
    assert.equal(principal.body['@odata.type'], type)
    const agent = await admin.post('/servicePrincipals', {
      '@odata.type': '#microsoft.graph.agentIdentity',
      displayName: 'New',
      agentIdentityBlueprintId: body.appId,
      ...sponsored,
    })
    assert.equal(agent.body['@odata.type'], '#microsoft.graph.agentIdentity')
  })

  it('have sponsors that can be added once and removed', async () => {
    const { admin, agent, blueprint, principal } = await withAgent()
    const groupId = admin.appId
    for (const path of [
      `/applications/${blueprintType}/${blueprint.appId}`,
      `/servicePrincipals/${agent.id}/${agentType}`,
      `/servicePrincipals/${principal.id}/${principalType}`,
    ]) {
      const add = () =>
        admin.post(`${path}/sponsors/$ref`, { '@odata.id': `https://a.example/groups/${groupId}` })
      assert.equal((await add()).status, 204, path)
      assert.equal((await add()).body.error.code, 'Request_BadRequest')
      const before = path.includes(principal.id) ? [groupId] : [sponsorId, groupId]
      assert.deepEqual(idsIn(await admin.get(`${path}/sponsors`)).toSorted(), before.toSorted())
      assert.equal((await admin.delete(`${path}/sponsors/${groupId}/$ref`)).status, 204)
      assert.equal((await admin.delete(`${path}/sponsors/${groupId}/$ref`)).status, 404)
    }
  })

  it('have no sponsors at a path without a cast', async () => {
    const { admin, agent } = await withAgent()
    const { status, body } = await admin.get(`/servicePrincipals/${agent.id}/sponsors`)
    assert.equal(status, 400)
    assert.equal(body.error.message, "Resource not found for the segment 'sponsors'.")
  })

  it('share the credentials of their blueprint, which typed paths can change', async () => {
    const { admin, blueprint } = await withAgent()
    const path = `/applications/${blueprint.appId}/${blueprintType}`
    const { body: secret } = await admin.post(`${path}/addPassword`, {})
    assert.equal(typeof secret.secretText, 'string')
    const removed = await admin.post(`${path}/removePassword`, { keyId: secret.keyId })
    assert.equal(removed.status, 204)
    const trusted = await admin.post(`${path}/federatedIdentityCredentials`, {
      name: 'cluster',
      issuer: 'https://issuer.example',
      subject: 'job',
      audiences: ['api://AzureADTokenExchange'],
    })
    assert.equal(trusted.status, 201)
    const credential = `${path}/federatedIdentityCredentials/${trusted.body.id}`
    assert.equal((await admin.patch(credential, { subject: 'other' })).status, 204)
    assert.equal((await admin.delete(credential)).status, 204)
  })
})
