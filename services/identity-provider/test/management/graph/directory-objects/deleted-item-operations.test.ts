import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { put } from '@greeting/directory'
import { AgreedTime } from '../../../../../../packages/directory/src/clock/agreed-time.ts'
import {
  application,
  appRoleAssignment,
  guid,
  servicePrincipal,
} from '../../../../../../test/fixtures/directory/sample.ts'
import { wholeDirectory } from '../../../../../../test/fixtures/directory/whole-directory.ts'
import { purgeExpired } from '../../../../src/management/graph/directory-objects/purge-expired.ts'
import { allGraphRoles, fabrikam, type sampleGraph } from '../../sample-graph.ts'
import { withApi } from '../applications/sample-api.ts'

const dayMs = 86_400_000

async function withDeleted(part: Parameters<typeof sampleGraph>[0] = {}) {
  const sample = await withApi({ identifierUris: ['https://contoso.example/api'] }, part)
  const { admin, api, path } = sample
  const { body: principal } = await admin.post('/servicePrincipals', { appId: api.appId })
  await admin.post(`/servicePrincipals/${principal.id}/appRoleAssignedTo`, {
    principalId: principal.id,
    resourceId: principal.id,
    appRoleId: '00000000-0000-0000-0000-000000000000',
  })
  assert.equal((await admin.delete(path)).status, 204)
  return { ...sample, principal, deleted: '/directory/deletedItems' }
}

describe('a deleted application', () => {
  it('is listed only among the deleted items, together with its service principal', async () => {
    const { admin, api, deleted, path, principal } = await withDeleted()
    for (const gone of [
      path,
      `/applications(appId='${api.appId}')`,
      `/servicePrincipals/${principal.id}`,
    ])
      assert.equal((await admin.get(gone)).status, 404, gone)
    const { body: all } = await admin.get('/applications?$select=id')
    assert.ok(!all.value.some(({ id }) => id === api.id))
    const applications = await admin.get(`${deleted}/microsoft.graph.application`)
    assert.deepEqual(
      applications.body.value.map(({ id, deletedDateTime }) => [id, deletedDateTime]),
      [[api.id, '2026-02-01T12:00:00Z']],
    )
    const principals = await admin.get(`${deleted}/microsoft.graph.servicePrincipal`)
    assert.deepEqual(
      principals.body.value.map(({ id }) => id),
      [principal.id],
    )
    assert.equal((await admin.get(`${deleted}/${api.id}`)).body.appId, api.appId)
  })

  for (const kind of ['application', 'servicePrincipal'])
    it(`is listed in order, and counted, as ${kind} (entra E303)`, async () => {
      const { admin, clock, deleted } = await withDeleted()
      for (const displayName of ['Zeta', 'alpha', 'Beta']) {
        const { body } = await admin.post('/applications', { displayName })
        await admin.post('/servicePrincipals', { appId: body.appId })
        clock.now = new Date(clock.now.getTime() + 60_000)
        await admin.delete(`/applications/${body.id}`)
      }
      const path = `${deleted}/microsoft.graph.${kind}`
      const eventual = { consistencylevel: 'eventual' }
      const namesAt = async (first: string) => {
        const names: unknown[] = []
        for (let next = first; next !== ''; ) {
          const { body } = await admin.get(next.replace(/^.*\/v1\.0/, ''), undefined, eventual)
          names.push(...body.value.map(({ displayName }) => displayName))
          next = body['@odata.nextLink'] ?? ''
        }
        return names
      }
      const rows = [
        ['$orderBy=displayName', ['alpha', 'API', 'Beta', 'Zeta']],
        ['$orderby=displayName desc', ['Zeta', 'Beta', 'API', 'alpha']],
        [
          '$count=true&$orderBy=deletedDateTime desc&$select=id,displayName,deletedDateTime',
          ['Beta', 'alpha', 'Zeta', 'API'],
        ],
      ] as const
      for (const [query, expected] of rows)
        for (const top of [1, 3, 999])
          assert.deepEqual(await namesAt(`${path}?${query}&$top=${top}`), expected, query)
      const counted = await admin.get(`${path}/$count`, undefined, eventual)
      assert.equal(Number(counted.body), 4)
      assert.equal((await admin.get(`${path}/$count`)).status, 400)
    })

  it('is restored unchanged, while its service principal needs a separate request', async () => {
    const { admin, api, deleted, path, principal, store } = await withDeleted()
    const early = await admin.post(`${deleted}/${principal.id}/restore`)
    assert.equal(early.status, 400)
    assert.match(early.body.error.message, /does not reference a valid application object/)
    const restored = await admin.post(`${deleted}/${api.id}/restore`)
    assert.equal(restored.status, 200)
    assert.equal(restored.body['@odata.type'], '#microsoft.graph.application')
    assert.equal((await admin.get(path)).status, 200)
    assert.equal((await admin.get(`/servicePrincipals/${principal.id}`)).status, 404)
    assert.equal((await admin.post(`${deleted}/${principal.id}/restore`)).status, 200)
    assert.equal((await wholeDirectory(store)).assignmentsOf(principal.id).length, 1)
    assert.equal((await admin.post(`${deleted}/${api.id}/restore`)).status, 404)
  })

  it('is restored without its old service principal if it has a new one', async () => {
    const { admin, api, deleted, principal } = await withDeleted()
    await admin.post(`${deleted}/${api.id}/restore`)
    assert.equal((await admin.post('/servicePrincipals', { appId: api.appId })).status, 201)
    const { status, body } = await admin.post(`${deleted}/${principal.id}/restore`)
    assert.equal(status, 409)
    assert.match(body.error.message, /cannot be created, updated, or restored/)
  })

  it('is purged together with its dependent objects', async () => {
    const { admin, api, deleted, principal, store } = await withDeleted()
    assert.equal((await admin.delete(`${deleted}/${api.id}`)).status, 204)
    const directory = await wholeDirectory(store)
    assert.equal(directory.application(api.id), undefined)
    assert.equal(directory.servicePrincipal(principal.id), undefined)
    assert.deepEqual(directory.assignmentsOf(principal.id), [])
  })

  it('is not visible to another tenant', async () => {
    const { api, clientWith, deleted } = await withDeleted()
    const outsider = await clientWith(allGraphRoles, fabrikam)
    assert.equal((await outsider.get(`${deleted}/${api.id}`)).status, 404)
    assert.equal((await outsider.post(`${deleted}/${api.id}/restore`)).status, 404)
    assert.equal((await outsider.delete(`${deleted}/${api.id}`)).status, 404)
  })

  it('is kept for the number of days in the settings', async () => {
    const { admin, clock, deleted, api } = await withDeleted({ retentionDays: 1 })
    const deletedAt = clock.now.getTime()
    clock.now = new Date(deletedAt + dayMs)
    assert.equal((await admin.get(`${deleted}/${api.id}`)).status, 200)
    clock.now = new Date(deletedAt + dayMs + 1)
    assert.equal((await admin.get(`${deleted}/${api.id}`)).status, 404)
    const { body } = await admin.get(`${deleted}/microsoft.graph.application`)
    assert.deepEqual(body.value, [])
  })

  it('is purged with at most 20 other applications in one transaction', async () => {
    const { clock, commit, log, store } = await withDeleted()
    const deletedDateTime = clock.now
    const others = Array.from({ length: 45 }, (_, number) =>
      put(
        'application',
        application({ id: guid(0x500 + number), appId: guid(0x600 + number), deletedDateTime }),
      ),
    )
    await commit(...others)
    const { revision } = log.directory
    clock.now = new Date(deletedDateTime.getTime() + 31 * dayMs)
    assert.equal(await purgeExpired(store, new AgreedTime(clock.now)), 45 + 3)
    assert.equal(log.directory.revision, revision + 3, 'three transactions')
    assert.equal(log.audit.filter(({ action }) => action === 'deletedItem.purge').length, 45 + 2)
  })

  /** Deleted blueprints with agents, of which each has an assignment. */
  const blueprintsWith = (deletedDateTime: Date, blueprints: number, agents: number) =>
    Array.from({ length: blueprints }, (_, number) => {
      const appId = guid(0x1000 + number)
      return [
        put('application', application({ id: guid(0x2000 + number), appId, deletedDateTime })),
        ...Array.from({ length: agents }, (__, agent) => {
          const id = guid(0x10000 + 1000 * number + agent)
          const own = {
            id,
            appId: guid(0x90000 + 1000 * number + agent),
            agentIdentityBlueprintId: appId,
          }
          return [
            put('servicePrincipal', servicePrincipal(own)),
            put(
              'appRoleAssignment',
              appRoleAssignment({ id: `${number}-${agent}`, principalId: id }),
            ),
          ]
        }).flat(),
      ]
    }).flat()

  it('is purged with all its agents in several commits, and the blueprint is last', async () => {
    const { admin, clock, commit, deleted, log, store } = await withDeleted()
    await commit(...blueprintsWith(clock.now, 1, 450))
    const { revision } = log.directory
    assert.equal((await admin.delete(`${deleted}/${guid(0x2000)}`)).status, 204)
    assert.equal(log.directory.revision, revision + 5, '901 changes')
    const directory = await wholeDirectory(store)
    assert.equal(directory.application(guid(0x2000)), undefined)
    assert.deepEqual(directory.agentsOf(guid(0x1000)), [])
    const records = log.audit.filter(({ action }) => action === 'deletedItem.purge')
    assert.deepEqual(new Set(records.map(({ target }) => target)), new Set([guid(0x2000)]))
    assert.equal((await admin.delete(`${deleted}/${guid(0x2000)}`)).status, 404)
  })

  it('is purged with 20 blueprints and their 60 agents, in commits of at most 200 changes', async () => {
    const { clock, commit, log, store } = await withDeleted()
    await commit(...blueprintsWith(clock.now, 20, 60))
    const { revision } = log.directory
    const later = new AgreedTime(new Date(clock.now.getTime() + 31 * dayMs))
    assert.equal(await purgeExpired(store, later), 20 * 121 + 3)
    assert.ok(log.directory.revision - revision <= 14, `${log.directory.revision - revision}`)
    const directory = await wholeDirectory(store)
    assert.deepEqual(directory.agentsOf(guid(0x1000)), [])
    assert.equal(directory.application(guid(0x2013)), undefined)
  })

  it('is kept for 30 days even if a server with a slow clock deleted it', async () => {
    const right = new Date('2026-02-01T12:00:00Z')
    const { admin, clock, deleted, api, principal, store } = await withDeleted({
      latestAgreed: () => right,
    })
    for (const { id } of [api, principal])
      assert.equal((await admin.post(`${deleted}/${id}/restore`)).status, 200)
    clock.now = new Date(right.getTime() - 40 * dayMs)
    for (const path of [`/servicePrincipals/${principal.id}`, `/applications/${api.id}`])
      assert.equal((await admin.delete(path)).status, 204)
    const directory = await wholeDirectory(store)
    assert.deepEqual(directory.application(api.id)?.deletedDateTime, right)
    assert.deepEqual(directory.servicePrincipal(principal.id)?.deletedDateTime, right)
    assert.equal(await purgeExpired(store, new AgreedTime(right)), 0)
  })

  it('is kept for 30 days, then purged', async () => {
    const { admin, api, clock, deleted, log, principal, store } = await withDeleted()
    const deletedAt = clock.now.getTime()
    clock.now = new Date(deletedAt + 30 * dayMs)
    assert.equal(await purgeExpired(store, new AgreedTime(clock.now)), 0)
    assert.equal((await admin.get(`${deleted}/${api.id}`)).status, 200)
    clock.now = new Date(deletedAt + 30 * dayMs + 1)
    assert.equal((await admin.get(`${deleted}/${api.id}`)).status, 404)
    assert.equal((await admin.post(`${deleted}/${api.id}/restore`)).status, 404)
    assert.equal(await purgeExpired(store, new AgreedTime(clock.now)), 3)
    const directory = await wholeDirectory(store)
    assert.equal(directory.application(api.id), undefined)
    assert.equal(directory.servicePrincipal(principal.id), undefined)
    assert.partialDeepStrictEqual(log.audit.at(-1), {
      actor: 'system',
      action: 'deletedItem.purge',
    })
    const { revision } = directory
    assert.equal(await purgeExpired(store, new AgreedTime(clock.now)), 0)
    assert.equal(
      (await wholeDirectory(store)).revision,
      revision,
      'a cleanup without expired objects writes nothing',
    )
  })
})
