import assert from 'node:assert/strict'
import { it } from 'node:test'
import { delegatingLog } from '../../../../test/fixtures/directory/delegating-log.ts'
import { DirectoryIndex } from '../../../../test/fixtures/directory/directory-index.ts'
import {
  application,
  appRole,
  appRoleAssignment,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import { commitAt, markAt } from '../../../../test/fixtures/directory/sample-commit.ts'
import { DirectoryStore } from '../../src/live/directory-store.ts'
import type { Directory } from '../../src/model/directory.ts'
import { type DirectoryChange, put, remove } from '../../src/model/directory-change.ts'
import type { FreshStorage } from './fresh-storage.ts'

const agentIdentityBlueprintId = guid(0xa0)
const deletedDateTime = new Date('2030-01-01T00:00:00Z')
const client = application({
  id: guid(0xa2),
  appId: guid(0xa1),
  displayName: 'Job',
  uniqueName: 'nightly job',
})
/** An agent identity has one ID only. */
const ids = (number: number) => ({ id: guid(number), appId: guid(number) })
const changes: readonly DirectoryChange[] = [
  put('tenant', tenant()),
  put('tenant', tenant({ id: guid(2), domains: ['fabrikam.example'] })),
  put(
    'application',
    application({ identifierUris: ['api://Greeting', 'api://ÜBER'], appRoles: [appRole()] }),
  ),
  put('application', client),
  put(
    'application',
    application({
      id: guid(0xa3),
      appId: guid(0xa4),
      deletedDateTime,
      identifierUris: ['api://gone'],
    }),
  ),
  put('servicePrincipal', servicePrincipal()),
  put('servicePrincipal', servicePrincipal({ id: guid(0xb1), appId: guid(0xa1) })),
  put(
    'servicePrincipal',
    servicePrincipal({ id: guid(0xb2), appId: guid(0xa1), tenantId: guid(2) }),
  ),
  put('servicePrincipal', servicePrincipal({ id: guid(0xb3), appId: guid(0xa4), deletedDateTime })),
  put('servicePrincipal', servicePrincipal({ ...ids(0xe1), agentIdentityBlueprintId })),
  put(
    'servicePrincipal',
    servicePrincipal({ ...ids(0xe2), agentIdentityBlueprintId, deletedDateTime }),
  ),
  put('appRoleAssignment', appRoleAssignment()),
  put('appRoleAssignment', appRoleAssignment({ id: 'other', appRoleId: guid(0x52) })),
]

const byId = (one: { readonly id: string }, other: { readonly id: string }) =>
  one.id < other.id ? -1 : 1

/** Every lookup, with values that find something and values that find nothing. */
const lookups: readonly ((directory: Directory) => unknown)[] = [
  (directory) => [...directory.tenants()].toSorted(byId),
  ...[guid(1), 'fabrikam.example', guid(9)].map((name) => (all: Directory) => all.tenant(name)),
  ...[guid(0xa), guid(0xa3), guid(9)].flatMap((id) => [
    (all: Directory) => all.application(id),
    (all: Directory) => all.markOf('application', id),
  ]),
  ...[guid(0xa0), guid(0xa1).toUpperCase(), guid(0xa4), guid(9)].flatMap((appId) => [
    (all: Directory) => all.applicationByAppId(appId),
    (all: Directory) => all.servicePrincipalByAppId(guid(1), appId),
    (all: Directory) => all.servicePrincipalByAppId(guid(2), appId),
    (all: Directory) => all.servicePrincipalsOfApplication(appId).toSorted(byId),
    (all: Directory) => all.agentsOf(appId).toSorted(byId),
  ]),
  ...[guid(1), guid(2)].flatMap((tenantId) =>
    ['nightly job', 'Nightly job', 'none'].map(
      (name) => (all: Directory) => all.applicationByUniqueName(tenantId, name),
    ),
  ),
  ...['api://Greeting', 'API://greeting', 'api://über', 'api://gone', 'api://none'].flatMap(
    (uri) => [
      (all: Directory) => all.applicationsByIdentifierUri(uri),
      (all: Directory) => all.servicePrincipalByName(guid(1), uri),
    ],
  ),
  ...[guid(0xb), guid(0xb1), guid(0xb3), guid(9)].flatMap((id) => [
    (all: Directory) => all.servicePrincipal(id),
    (all: Directory) => all.assignmentsOf(id).toSorted(byId),
    (all: Directory) => all.assignmentsTo(id).toSorted(byId),
    (all: Directory) => all.assignmentsOfRole(id, guid(0x51)),
  ]),
  (directory) => directory.appRoleAssignment('other'),
  (directory) => directory.appRoleAssignment('Other'),
]

// These tests are not about the wait: a busy machine may take longer than the default.
const patienceMs = 30_000

/** Tests the lookups of a directory log. */
export function directoryLookupConformance(fresh: FreshStorage): void {
  it('return the same results as a complete directory in memory', async () => {
    const { directory: log } = await (await fresh()).open()
    await log.commit(commitAt(0), markAt(1), changes, [])
    const whole = new DirectoryIndex()
    whole.apply(
      1,
      changes.map((change) => ({ ...change, mark: 'mark 1' })),
    )
    const store = new DirectoryStore({ log, patienceMs })
    for (const lookup of lookups)
      assert.deepEqual(await store.read(lookup), lookup(whole), String(lookup))
  })

  it('find the oldest tenant, and missing service principals of tenants up to a limit', async () => {
    const { directory: log } = await (await fresh()).open()
    const survey = (...appIds: readonly string[]) => log.surveyTenants(appIds, 3)
    assert.deepEqual(await survey(guid(0xa1)), { revision: 0, oldest: undefined, lacking: [] })
    const newer = tenant({ id: guid(0), createdDateTime: new Date('2031-01-01T00:00:00Z') })
    await log.commit(commitAt(0), markAt(1), [...changes, put('tenant', newer)], [])
    const found = await survey(guid(0xa1), guid(0xa4))
    assert.deepEqual([found.revision, found.oldest?.id], [1, guid(1)])
    const lacking = found.lacking.map(({ appId, tenantId }) => `${appId} ${tenantId}`)
    assert.equal(lacking.length, 3)
    assert.ok(lacking.includes(`${guid(0xa1)} ${guid(0)}`))
    assert.ok(!lacking.includes(`${guid(0xa1)} ${guid(2)}`))
  })

  it("load all data for a new client's token in three snapshots, and later in none", async () => {
    const { directory } = await (await fresh()).open()
    await directory.commit(commitAt(0), markAt(1), changes, [])
    let snapshots = 0
    const log = delegatingLog(() => directory, {
      changesAfter: (known, loaded) => {
        snapshots += 1
        return directory.changesAfter(known, loaded)
      },
    })
    const store = new DirectoryStore({ log, patienceMs })
    await store.refresh()
    const token = (all: Directory) => {
      const own = all.servicePrincipalByAppId(guid(1), client.appId)
      const names = [client.appId, own?.appId ?? ''].map((id) => all.applicationByAppId(id)?.id)
      const api = all.servicePrincipalByName(guid(1), 'api://Greeting')
      return [...names, all.applicationByAppId(api?.appId ?? '')?.id, all.assignmentsOf(guid(0xb1))]
    }
    await store.read(token)
    assert.equal(snapshots, 2, 'one for the client, one for the identifier URI')
    assert.ok(!(store.read(token) instanceof Promise))
  })

  it('show a change in results that a follower already loaded', async () => {
    const { directory: log } = await (await fresh()).open()
    await log.commit(commitAt(0), markAt(1), changes, [])
    const store = new DirectoryStore({ log, patienceMs })
    for (const lookup of lookups) await store.read(lookup)
    const later = [
      put('application', { ...client, displayName: 'Renamed', identifierUris: ['api://none'] }),
      remove('servicePrincipal', guid(0xb2)),
      remove('appRoleAssignment', 'other'),
      put('servicePrincipal', servicePrincipal({ id: guid(9), appId: guid(9) })),
    ]
    await log.commit(commitAt(1), markAt(2), later, [])
    await store.refresh()
    const whole = new DirectoryIndex()
    whole.apply(
      1,
      changes.map((change) => ({ ...change, mark: 'mark 1' })),
    )
    whole.apply(
      2,
      later.map((change) => ({ ...change, mark: 'mark 2' })),
    )
    for (const lookup of lookups)
      assert.deepEqual(await store.read(lookup), lookup(whole), String(lookup))
  })

  it('make a follower start again if more than 1,000 objects changed', async () => {
    const { directory: log } = await (await fresh()).open()
    await log.commit(commitAt(0), markAt(1), changes, [])
    const store = new DirectoryStore({ log, patienceMs })
    assert.equal(await store.read((all) => all.application(client.id)?.displayName), 'Job')
    const many = Array.from({ length: 1001 }, (_, number) =>
      put(
        'servicePrincipal',
        servicePrincipal({ id: guid(0x1000 + number), appId: guid(0x9000 + number) }),
      ),
    )
    const renamed = put('application', { ...client, displayName: 'Renamed' })
    await log.commit(commitAt(1), markAt(2), [...many, renamed], [])
    assert.equal((await log.changesAfter(commitAt(1))).changes, undefined)
    await store.refresh()
    assert.equal(await store.read((all) => all.application(client.id)?.displayName), 'Renamed')
    assert.equal(await store.read(({ revision }) => revision), 2)
  })
}
