import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Body, Reply } from '../../sample-graph.ts'
import { agentType, blueprintType, sponsored, withAgent } from './sample-agents.ts'

type Sample = Awaited<ReturnType<typeof withAgent>>

const idsIn = ({ body }: Reply) => body.value.map(({ id }) => id)

describe('the creator of a blueprint and of its principal', () => {
  const origin = 'https://graph.microsoft.com/v1.0'
  const kinds = {
    blueprint: ({ blueprint }: Sample) => `/applications/${blueprint.id}`,
    principal: ({ principal }: Sample) => `/servicePrincipals/${principal.id}`,
  }
  for (const [name, pathOf] of Object.entries(kinds))
    it(`owns the ${name}, and can be removed from its owners (entra E356)`, async () => {
      const sample = await withAgent()
      const { admin } = sample
      const owners = `${pathOf(sample)}/owners`
      assert.deepEqual(idsIn(await admin.get(owners)), [admin.principalId])
      assert.equal((await admin.delete(`${owners}/${admin.principalId}/$ref`)).status, 204)
      assert.deepEqual(idsIn(await admin.get(owners)), [])
    })

  it('is one owner even if the body names it, and does not own other objects', async () => {
    const { admin, agent, blueprint } = await withAgent()
    const { body: users } = await admin.get('/users')
    const both = [`/users/${users.value[0]?.id}`, `/servicePrincipals/${admin.principalId}`]
    const bound = { 'owners@odata.bind': both.map((one) => `${origin}${one}`) }
    const body = { displayName: 'Own', '@odata.type': `#${blueprintType}`, ...sponsored, ...bound }
    const made = await admin.post('/applications', body)
    const owners = idsIn(await admin.get(`/applications/${made.body.id}/owners`))
    assert.deepEqual(owners.toSorted(), [users.value[0]?.id, admin.principalId].toSorted())
    const other = await admin.post('/applications', { displayName: 'Ordinary' })
    const { body: client } = await admin.post('/servicePrincipals', { appId: other.body.appId })
    for (const path of [`/applications/${other.body.id}`, `/servicePrincipals/${client.id}`])
      assert.deepEqual(idsIn(await admin.get(`${path}/owners`)), [], path)
    assert.deepEqual(idsIn(await admin.get(`/servicePrincipals/${agent.id}/owners`)), [])
    const owned = await admin.get(`/servicePrincipals/${admin.principalId}/ownedObjects`)
    assert.ok(idsIn(owned).includes(blueprint.id))
  })
})

describe('the creator of an agent identity', () => {
  const manager = ['AgentIdentity.CreateAsManager']
  const own = (sample: Sample, { appId }: Body) => sample.actAs(sample.tenantId, appId)

  it('may be its blueprint, which needs no assignment and reaches only its own agents', async () => {
    const sample = await withAgent()
    const { blueprint: other } = await sample.newBlueprint('Other')
    const stranger = await sample.create({ agentIdentityBlueprintId: other.appId })
    const blueprint = own(sample, sample.blueprint)
    const { status, body } = await sample.create({}, blueprint)
    assert.equal(status, 201)
    assert.equal(body.createdByAppId, sample.blueprint.appId)
    const path = (id: string) => `/servicePrincipals/${id}/${agentType}`
    assert.equal((await blueprint.get(path(body.id))).status, 200)
    const listed = idsIn(await blueprint.get(`/servicePrincipals/${agentType}`))
    assert.deepEqual(listed.toSorted(), [sample.agent.id, body.id].toSorted())
    for (const reply of [
      await blueprint.get(path(stranger.body.id)),
      await blueprint.delete(path(stranger.body.id)),
      await blueprint.get('/servicePrincipals'),
      await blueprint.get(`/applications/${blueprintType}`),
      await blueprint.post(`/applications/${sample.blueprint.id}/addPassword`, {}),
    ])
      assert.equal(reply.body.error?.code, 'Authorization_RequestDenied')
    assert.equal((await blueprint.delete(path(body.id))).status, 204)
  })

  const refusals: readonly (readonly [
    what: string,
    code: string,
    attempt: (sample: Sample) => Promise<Reply>,
  ])[] = [
    [
      'another blueprint',
      'Error_AgentBlueprintCannotCreateAssociatedIdentity',
      async (sample) => {
        const { blueprint } = await sample.newBlueprint('Other')
        return sample.create({}, own(sample, blueprint))
      },
    ],
    [
      'an application with the role of blueprints',
      'Error_AgentIdentitySelfCreateRequired',
      async (sample) => sample.create({}, await sample.clientWith(manager)),
    ],
    [
      'an agent, which can have no role to create agents (entra E202)',
      'Authorization_RequestDenied',
      async (sample) => {
        await sample.giveRole(sample.agent.id, 'AgentIdentity.ReadWrite.All')
        return sample.create({}, own(sample, sample.agent))
      },
    ],
  ]
  for (const [what, code, attempt] of refusals)
    it(`is not ${what}`, async () => {
      const { status, body } = await attempt(await withAgent())
      assert.equal(status, 403)
      assert.equal(body.error.code, code)
    })
})
