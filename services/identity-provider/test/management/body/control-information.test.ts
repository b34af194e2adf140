import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withApi } from '../graph/applications/sample-api.ts'

describe('the type in a body', () => {
  const accepted = [
    '#microsoft.graph.application',
    'microsoft.graph.application',
    '#graph.Application',
    'https://login.example/v1.0/$metadata#Microsoft.Graph.application',
    null,
  ]
  for (const type of accepted)
    it(`may name the type of the entity set: ${type}`, async () => {
      const { admin, path } = await withApi()
      const body = { displayName: 'New', '@odata.type': type }
      assert.equal((await admin.post('/applications', body)).status, 201)
      assert.equal((await admin.patch(path, body)).status, 204)
    })

  const refused: readonly unknown[] = [
    '#microsoft.graph.agentUser',
    'Microsoft.Graph.AgentUser',
    '#microsoft.graph.user',
    '#microsoft.graph.applicationTemplate',
    '#microsoft.application',
    '',
    7,
    {},
  ]
  for (const type of refused)
    it(`is refused with 400 when it is ${JSON.stringify(type)}, and nothing changes`, async () => {
      const { admin, api, log, path } = await withApi()
      const { revision } = log.directory
      const named = { displayName: 'New', '@odata.type': type }
      const principal = { appId: api.appId, '@odata.type': type }
      const replies = [
        await admin.post('/applications', named),
        await admin.patch(path, named),
        await admin.patch("/applications(uniqueName='new')", named, {
          prefer: 'create-if-missing',
        }),
        await admin.post('/servicePrincipals', principal),
        await admin.patch(`/servicePrincipals(appId='${admin.appId}')`, { '@odata.type': type }),
        await admin.patch(`/servicePrincipals(appId='${api.appId}')`, principal, {
          prefer: 'create-if-missing',
        }),
      ]
      for (const { status, body } of replies) {
        assert.equal(status, 400, JSON.stringify(body))
        assert.match(body.error.message, /^Objects of the type '.*' are not supported here/)
      }
      assert.equal(log.directory.revision, revision)
    })

  it('is also refused in a batch, and is ignored in nested objects', async () => {
    const { admin } = await withApi()
    const create = (id: string, body: object) => ({
      id,
      method: 'POST',
      url: '/applications',
      headers: { 'content-type': 'application/json' },
      body: { displayName: id, ...body },
    })
    const { body } = await admin.post('/$batch', {
      requests: [
        create('1', { '@odata.type': '#microsoft.graph.agentUser' }),
        create('2', { web: { '@odata.type': '#microsoft.graph.webApplication' } }),
      ],
    })
    const statuses = (body.responses as readonly { status: number }[]).map(({ status }) => status)
    assert.deepEqual(statuses, [400, 201])
  })
})
