import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Body, Reply } from '../../sample-graph.ts'
import { agentType, blueprintType, withAgent } from './sample-agents.ts'

type Sample = Awaited<ReturnType<typeof withAgent>>

const idsIn = ({ body }: Reply) => body.value.map(({ id }) => id)

describe('the creator of an agent identity', () => {
  const manager = ['AgentIdentity.CreateAsManager']
  const own = (sample: Sample, { appId }: Body) => sample.actAs(sample.tenantId, appId)

  it('may be its blueprint, which needs no assignment, and reaches its own agents only', async () => {
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
      'an agent, which can have no role to create any (entra E202)',
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
