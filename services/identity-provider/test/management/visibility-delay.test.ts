import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGraphApp } from '../../src/management/graph/graph-operations.ts'
import { role } from './graph/applications/sample-api.ts'
import { allGraphRoles, sampleGraph } from './sample-graph.ts'

describe('the visibility delay', () => {
  it('hides a new object until the delay has passed, even from references', async () => {
    const { clientWith, clock } = await sampleGraph({ visibilityDelaySeconds: 30 })
    const admin = await clientWith(allGraphRoles)
    const wait = (seconds: number) => {
      clock.now = new Date(clock.now.getTime() + seconds * 1000)
    }
    const made = await admin.post('/applications', { displayName: 'API', appRoles: [role()] })
    assert.equal(made.status, 201)
    const path = `/applications/${made.body.id}`
    const tooEarly = async () => {
      assert.equal((await admin.get(path)).status, 404)
      assert.equal((await admin.patch(path, { displayName: 'x' })).status, 404)
      assert.equal((await admin.post(`${path}/addPassword`, {})).status, 404)
      const { body } = await admin.get(`/applications?$filter=appId eq '${made.body.appId}'`)
      assert.deepEqual(body.value, [])
      const principal = await admin.post('/servicePrincipals', { appId: made.body.appId })
      assert.match(principal.body.error.message, /does not reference a valid application object/)
    }
    await tooEarly()
    wait(29)
    await tooEarly()
    wait(1)
    assert.equal((await admin.patch(path, { displayName: 'Renamed' })).status, 204)
    assert.equal((await admin.get(path)).body.displayName, 'Renamed', 'a change is visible at once')

    const principal = await admin.post('/servicePrincipals', { appId: made.body.appId })
    assert.equal(principal.status, 201)
    const { id } = principal.body
    const twin = await admin.post('/servicePrincipals', { appId: made.body.appId })
    assert.equal(twin.status, 409, 'an object that is not visible yet exists')
    const all = `/servicePrincipals/${admin.principalId}/appRoleAssignments`
    const consent = { principalId: admin.principalId, resourceId: id, appRoleId: role().id }
    const early = await admin.post(all, consent)
    assert.equal(early.body.error.message, 'Not a valid reference update.')
    wait(30)
    assert.equal((await admin.post(all, consent)).status, 201)
  })

  for (const visibilityDelaySeconds of [-1, 3601, 0.5])
    it(`cannot be ${visibilityDelaySeconds} seconds`, async () => {
      await assert.rejects(sampleGraph({ visibilityDelaySeconds }), /visibilityDelaySeconds/)
    })

  it('is reported together with all other invalid options', async () => {
    const options = { baseUrl: 'ftp://x/', visibilityDelaySeconds: -1 }
    assert.throws(() => createGraphApp(options as never), /baseUrl[\s\S]*visibilityDelaySeconds/)
  })
})
