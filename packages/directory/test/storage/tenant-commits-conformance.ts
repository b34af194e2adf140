import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { patientStore } from '../../../../test/fixtures/directory/patient-store.ts'
import { application, guid, tenant } from '../../../../test/fixtures/directory/sample.ts'
import { recordOf } from '../../../../test/fixtures/directory/sample-commit.ts'
import { beginning, type Known, newMark } from '../../src/live/commit.ts'
import { DirectoryStore } from '../../src/live/directory-store.ts'
import { type DirectoryChange, put, remove } from '../../src/model/directory-change.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { FreshStorage } from './fresh-storage.ts'

const count = 16
const tenants = Array.from({ length: count }, (_, index) =>
  tenant({ id: guid(0x1000 + index), domains: [`${index}.example`] }),
)
const applicationOf = (tenantId: string, id = tenantId) =>
  application({ id, tenantId, appId: id, identifierUris: [] })

/** Commits changes on top of a state, with a new mark. */
export const commitOn = ({ directory }: Storage, base: Known, ...changes: DirectoryChange[]) =>
  directory.commit(base, newMark(), changes, [])

/** A store with tenants, and the commit that created them. */
export async function withTenants(fresh: FreshStorage) {
  const store = await fresh()
  const storage = await store.open()
  await commitOn(storage, beginning, ...tenants.map((one) => put('tenant', one)))
  return { store, storage, base: await storage.directory.latest() }
}

/** Tests a directory log to which several tenants are committed at the same time. */
export function tenantCommitsConformance(fresh: FreshStorage): void {
  it('are accepted from each tenant on one state, and a follower reads all of them', async () => {
    const { storage, base } = await withTenants(fresh)
    const outcomes = await Promise.all(
      tenants.map(({ id }) => commitOn(storage, base, put('application', applicationOf(id)))),
    )
    const numbers = outcomes.flatMap((one) => (one === 'conflict' ? [] : [one.revision]))
    assert.equal(new Set(numbers).size, count)
    const { changes, latest } = await storage.directory.changesAfter(base)
    assert.equal(changes?.length, count)
    assert.equal(latest.revision, Math.max(...numbers))
  })

  const first = tenants[0] as (typeof tenants)[0]
  const rows: readonly [string, DirectoryChange, DirectoryChange, boolean][] = [
    [
      'two applications of one tenant',
      put('application', applicationOf(first.id)),
      put('application', applicationOf(first.id, guid(0x2000))),
      true,
    ],
    [
      'a tenant and one of its applications',
      put('tenant', { ...first, displayName: 'Renamed' }),
      put('application', applicationOf(first.id)),
      true,
    ],
    [
      'two new tenants with the same domain',
      put('tenant', tenant({ id: guid(0x3000), domains: ['same.example'] })),
      put('tenant', tenant({ id: guid(0x3001), domains: ['same.example'] })),
      true,
    ],
    [
      'applications of two tenants',
      put('application', applicationOf(first.id)),
      put('application', applicationOf(guid(0x1001))),
      false,
    ],
  ]
  for (const [what, one, other, isConflict] of rows)
    it(`${isConflict ? 'conflict' : 'do not conflict'} on one state if they change ${what}`, async () => {
      const { storage, base } = await withTenants(fresh)
      assert.notEqual(await commitOn(storage, base, one), 'conflict')
      const second = await commitOn(storage, base, other)
      assert.equal(second === 'conflict', isConflict)
      const { changes } = await storage.directory.changesAfter(base)
      assert.equal(changes?.length, isConflict ? 1 : 2)
    })

  it('to two tenants are refused if one of them has changed, and neither is written', async () => {
    const { storage, base } = await withTenants(fresh)
    await commitOn(storage, base, put('application', applicationOf(guid(0x1001))))
    const both = [guid(0x1000), guid(0x1001)].map((id) =>
      put('application', applicationOf(id, guid(0x2000 + Number(id.slice(-1))))),
    )
    assert.equal(await commitOn(storage, base, ...both), 'conflict')
    assert.equal((await storage.directory.changesAfter(base)).changes?.length, 1)
  })

  it('to several tenants do not wait, unless a tenant has no commit yet', async () => {
    const { storage, base } = await withTenants(fresh)
    const shared = (...ids: string[]) =>
      storage.directory.commit(
        base,
        newMark(),
        ids.map((id) => put('application', applicationOf(id))),
        [],
        ids,
        { waitsForLogs: false },
      )
    assert.equal(await shared(guid(0x1000), guid(0x9999)), 'conflict')
    assert.notEqual(await shared(guid(0x1000), guid(0x1001)), 'conflict')
    assert.equal(await shared(guid(0x1001), guid(0x1002)), 'conflict')
    assert.equal((await storage.directory.changesAfter(base)).changes?.length, 2)
  })

  it('of writers at two servers lose no update, even if each writes to two tenants', async () => {
    const { store } = await withTenants(fresh)
    const servers = [await store.open(), await store.open()].map(({ directory }) =>
      patientStore(directory),
    )
    const increments = servers.flatMap((server, name) =>
      tenants.slice(0, 4).flatMap(({ id }) =>
        Array.from({ length: 5 }, (_, index) =>
          server.update((directory) => {
            const known = directory.tenant(id)
            if (known === undefined) throw new TypeError('the tenant is not known')
            const displayName = `${known.displayName}+`
            return {
              changes: [put('tenant', { ...known, displayName })],
              audit: [recordOf(`${name}.${index}`)],
              result: undefined,
            }
          }, id),
        ),
      ),
    )
    await Promise.all(increments)
    for (const server of servers) {
      await server.refresh()
      for (const { id, displayName } of tenants.slice(0, 4))
        assert.equal(
          await server.read((directory) => directory.tenant(id)?.displayName),
          displayName + '+'.repeat(10),
        )
    }
  })

  describe('with a quota of five objects in a tenant', () => {
    const create = (server: DirectoryStore, id: string, tenantId = first.id) =>
      write(server, put('application', applicationOf(tenantId, id)))
    const write = (server: DirectoryStore, change: DirectoryChange, callerTenant = first.id) =>
      server.update((directory) => {
        if (change.kind === 'application') directory.application(change.id)
        return { changes: [change], audit: [recordOf(change.id)], result: change.id }
      }, callerTenant)
    const withQuota = async () => {
      const { store, storage } = await withTenants(fresh)
      const open = async () =>
        new DirectoryStore({ log: (await store.open()).directory, maxTenantObjects: 5 })
      const kept = async () => {
        await storage.tidy(new Date(), undefined)
        return storage.usage().tenantObjects[first.id]
      }
      return { servers: [await open(), await open()] as const, storage, kept }
    }
    const ids = Array.from({ length: 32 }, (_, index) => guid(0x4000 + index))

    it('let sixteen writers at each of two servers create only five objects', async () => {
      const { servers, kept } = await withQuota()
      const outcomes = await Promise.allSettled(
        ids.map((id, index) => create(servers[index % 2] as DirectoryStore, id)),
      )
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 5)
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'quota_exceeded')
      assert.equal(await kept(), 5)
    })

    it('change, delete and restore objects of a full tenant, and count them until a purge', async () => {
      const { servers, kept } = await withQuota()
      const [server, other] = servers
      for (const id of ids.slice(0, 5)) await create(server, id)
      const [id = ''] = ids
      const deleted = { ...applicationOf(first.id, id), deletedDateTime: new Date() }
      await write(server, put('application', deleted))
      await assert.rejects(create(other, guid(0x5000)), { code: 'quota_exceeded' })
      await write(other, put('application', { ...deleted, deletedDateTime: null }))
      await write(server, put('application', deleted))
      await write(other, remove('application', id))
      assert.equal(await kept(), 4)
      await create(server, guid(0x5000))
      assert.equal(await kept(), 5)
    })

    it('are unlimited for other tenants, and for objects that the server itself creates', async () => {
      const { servers, kept } = await withQuota()
      const [server] = servers
      for (const id of ids.slice(0, 5)) await create(server, id)
      await create(server, guid(0x5000), guid(0x1001))
      await write(server, put('application', applicationOf(first.id, guid(0x5001))), '')
      assert.equal(await kept(), 6)
      const renamed = { ...applicationOf(first.id, ids[0]), displayName: 'Renamed' }
      await write(server, put('application', renamed))
      await assert.rejects(create(server, guid(0x5002)), { code: 'quota_exceeded' })
      assert.equal(server.conflicts, 0)
    })

    it('still write the other changes of a group that exceeds the quota', async () => {
      const { servers } = await withQuota()
      const [server] = servers
      for (const id of ids.slice(0, 5)) await create(server, id)
      const renamed = { ...applicationOf(first.id, ids[0]), displayName: 'Renamed' }
      const outcomes = await Promise.allSettled([
        create(server, guid(0x5000)),
        write(server, put('application', renamed)),
        create(server, guid(0x5001)),
      ])
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['rejected', 'fulfilled', 'rejected'],
      )
    })
  })
}
