import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { DirectoryStore } from '@greeting/directory/live'
import { MemoryDirectoryLog } from '../../../../test/fixtures/directory/memory-directory-log.ts'
import { allGraphRoles, fabrikam, type GraphClient, sampleGraph } from './sample-graph.ts'

const refusal = [
  403,
  'Directory_QuotaExceeded',
  'The directory object quota limit for the Tenant has been exceeded. Please ask your administrator to increase the quota limit or delete objects to reduce the used quota.',
]

describe('a tenant that has as many objects as MAX_TENANT_OBJECTS (entra E310)', () => {
  let sample: Awaited<ReturnType<typeof sampleGraph>>
  let admin: GraphClient
  let made: readonly string[]
  const create = () => admin.post('/applications', { displayName: 'One more' })

  before(async () => {
    const store = new DirectoryStore({ log: new MemoryDirectoryLog(), maxTenantObjects: 20 })
    sample = await sampleGraph({ store })
    admin = await sample.clientWith(allGraphRoles)
    const replies = []
    for (let reply = await create(); reply.status === 201; reply = await create())
      replies.push(reply)
    made = replies.map(({ body }) => body.id)
    assert.ok(made.length > 4)
  })

  const creations: readonly (readonly [string, () => ReturnType<typeof create>])[] = [
    ['application.create', create],
    [
      'application.create',
      () =>
        admin.post('/applications', {
          '@odata.type': '#microsoft.graph.agentIdentityBlueprint',
          displayName: 'Blueprint',
          'sponsors@odata.bind': [`https://graph.microsoft.com/v1.0/users/${admin.principalId}`],
        }),
    ],
    [
      'application.update',
      () =>
        admin.patch(
          "/applications(uniqueName='new')",
          { displayName: 'New' },
          { prefer: 'create-if-missing' },
        ),
    ],
    [
      'servicePrincipal.create',
      async () => {
        const { body } = await admin.get(`/applications/${made[0]}`)
        return admin.post('/servicePrincipals', { appId: body.appId })
      },
    ],
    [
      'application.create',
      () =>
        admin.post('/applicationTemplates/8adf8e6e-67b2-4cf2-a259-e3dc5476c621/instantiate', {
          displayName: 'Template',
        }),
    ],
  ]
  for (const [action, send] of creations)
    it(`refuses ${action}, and records it`, async () => {
      const known = sample.refusals.length
      const { status, body } = await send()
      assert.deepEqual([status, body.error.code, body.error.message], refusal)
      assert.deepEqual(
        sample.refusals.slice(known).map(({ reason, outcome }) => ({ reason, outcome })),
        [{ reason: 'quota_exceeded', outcome: 'refused' }],
      )
      assert.equal(sample.refusals.at(-1)?.action, action)
    })

  it('can change, delete and restore its objects, and create one after a purge (entra E311)', async () => {
    const [id = ''] = made
    const path = `/applications/${id}`
    const item = `/directory/deletedItems/${id}`
    assert.equal((await admin.patch(path, { displayName: 'Renamed' })).status, 204)
    assert.equal((await admin.delete(path)).status, 204)
    assert.equal((await create()).status, 403)
    assert.equal((await admin.post(`${item}/restore`)).status, 200)
    assert.equal((await admin.delete(path)).status, 204)
    assert.equal((await admin.delete(item)).status, 204)
    assert.equal((await create()).status, 201)
    assert.equal((await create()).status, 403)
  })

  it('does not limit other tenants', async () => {
    const other = await sample.clientWith(allGraphRoles, fabrikam)
    assert.equal((await other.post('/applications', { displayName: 'One' })).status, 201)
  })
})
