import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { put } from '@greeting/directory'
import { agentType, blueprintType, sponsored, withAgent } from './sample-agents.ts'

describe('the ID of a blueprint', () => {
  it('is the only ID that its principal, agents and identifier URIs use (entra E135)', async () => {
    const { admin } = await withAgent()
    const bodies = [
      [`/applications/${blueprintType}`, {}],
      ['/applications', { '@odata.type': `#${blueprintType}` }],
    ] as const
    for (const [set, type] of bodies) {
      const created = await admin.post(set, { ...type, displayName: 'Own', ...sponsored })
      const { id, appId } = created.body
      assert.equal(id, appId)
      const answers = [
        await admin.post(`/servicePrincipals/graph.agentIdentityBlueprintPrincipal`, { appId: id }),
        await admin.post(`/servicePrincipals/${agentType}`, {
          displayName: 'Agent',
          agentIdentityBlueprintId: id,
          ...sponsored,
        }),
        await admin.patch(`/applications/${id}`, { identifierUris: [`api://${id}`] }),
        await admin.delete(`/applications/${id}`),
        await admin.get(`/directory/deletedItems/${id}`),
        await admin.post(`/directory/deletedItems/${id}/restore`),
        await admin.get(`/directoryObjects/${id}`),
        await admin.get(`/applications(appId='${id}')`),
        await admin.delete(`/directoryObjects/${id}`),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 201, 204, 204, 200, 200, 200, 200, 204],
      )
    }
    const { body } = await admin.post('/$batch', {
      requests: [
        {
          id: '1',
          method: 'POST',
          url: `/applications/${blueprintType}`,
          headers: { 'content-type': 'application/json' },
          body: { displayName: 'Batch', ...sponsored },
        },
      ],
    })
    const [{ body: made = {} } = {}] = body.responses as {
      body?: { id?: string; appId?: string }
    }[]
    assert.equal(made.id, made.appId)
  })

  it('may be either of two IDs if an earlier release created the blueprint', async () => {
    const { admin, blueprint, commit, log, principal } = await withAgent()
    const present = log.directory.application(blueprint.id)
    assert.ok(present)
    const older = { ...present, id: crypto.randomUUID(), appId: crypto.randomUUID() }
    await commit(put('application', { ...older, identifierUris: [] }))
    for (const key of [older.id, older.appId])
      for (const path of [
        `/applications/${key}`,
        `/applications/${key}/${blueprintType}/owners`,
        `/applications/${blueprintType}/${key}/inheritablePermissions`,
      ])
        assert.equal((await admin.get(path)).status, 200, path)
    const made = await admin.post('/servicePrincipals', { appId: older.appId })
    assert.equal(made.status, 201)
    assert.notEqual(made.body.id, principal.id)
  })
})
