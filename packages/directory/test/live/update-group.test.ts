import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MemoryDirectoryLog } from '../../../../test/fixtures/directory/memory-directory-log.ts'
import {
  application,
  appRoleAssignment,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import { commitAt, markAt } from '../../../../test/fixtures/directory/sample-commit.ts'
import { DirectoryFollower } from '../../src/live/directory-follower.ts'
import { NotLoaded } from '../../src/live/directory-lookup.ts'
import { type DirectoryDecision, decideGroup, type Update } from '../../src/live/update-group.ts'
import type { Directory } from '../../src/model/directory.ts'
import { type DirectoryChange, put, remove } from '../../src/model/directory-change.ts'

type Decide = (directory: Directory) => DirectoryDecision<unknown>

const known = application({ uniqueName: 'known', identifierUris: ['api://known'] })
const assignment = appRoleAssignment()

/** A follower of a small directory. */
async function sampleFollower(): Promise<DirectoryFollower> {
  const log = new MemoryDirectoryLog()
  const objects = [
    put('tenant', tenant()),
    put('application', known),
    put('servicePrincipal', servicePrincipal()),
    put('appRoleAssignment', assignment),
  ]
  await log.commit(commitAt(0), markAt(1), objects, [])
  return new DirectoryFollower({
    log,
    maxCacheWeight: 1000,
    monotonicNowMs: () => 0,
    onReversal: () => {},
  })
}

const updateOf = (decide: Decide): Update => ({
  decide,
  tenantId: '',
  resolve: () => {},
  reject: () => {},
})

/** The indexes of the updates that one commit writes, when all that they need is in memory. */
async function groupOf(...decides: Decide[]): Promise<number[]> {
  const follower = await sampleFollower()
  await follower.follow()
  for (const decide of decides) await follower.untilDecided(decide).catch(() => undefined)
  const updates = decides.map(updateOf)
  return decideGroup(follower.cache, updates, 'mark').map(({ update }) => updates.indexOf(update))
}

const changing =
  (...changes: DirectoryChange[]): Decide =>
  () => ({ changes, audit: [], result: undefined })

const reading =
  (read: (directory: Directory) => unknown): Decide =>
  (directory) => {
    read(directory)
    return { changes: [], audit: [], result: undefined }
  }

const another = application({ id: guid(0xcc), appId: guid(0xcd), displayName: 'Another' })
const renamed = put('application', { ...known, displayName: 'Renamed' })
const otherPrincipal = servicePrincipal({ id: guid(0xce), appId: guid(0xcd) })
const otherAssignment = { ...assignment, id: 'another' }

const conflicts: readonly [string, DirectoryChange, (directory: Directory) => unknown][] = [
  ['an object by its ID', renamed, (all) => all.application(known.id)],
  ['an object by another value', renamed, (all) => all.applicationByAppId(known.appId)],
  ['an object in a list', renamed, (all) => all.applicationsByIdentifierUri('API://KNOWN')],
  ['the mark of an object', renamed, (all) => all.markOf('application', known.id)],
  [
    'an object by its former value',
    put('application', { ...known, uniqueName: 'new' }),
    (all) => all.applicationByUniqueName(tenant().id, 'known'),
  ],
  [
    'a previously unused name',
    put('application', { ...another, uniqueName: 'free' }),
    (all) => all.applicationByUniqueName(tenant().id, 'free'),
  ],
  [
    'a previously unused URI',
    put('application', { ...another, identifierUris: ['api://Free'] }),
    (all) => all.applicationsByIdentifierUri('api://free'),
  ],
  [
    'the API with a given name',
    put('servicePrincipal', { ...servicePrincipal(), displayName: 'Renamed' }),
    (all) => all.servicePrincipalByName(tenant().id, 'api://known'),
  ],
  [
    'a removed object',
    remove('servicePrincipal', servicePrincipal().id),
    (all) => all.servicePrincipal(servicePrincipal().id),
  ],
  [
    'the principals of an application',
    put('servicePrincipal', { ...otherPrincipal, appId: known.appId }),
    (all) => all.servicePrincipalsOfApplication(known.appId),
  ],
  [
    'the principal of an application in a tenant',
    put('servicePrincipal', otherPrincipal),
    (all) => all.servicePrincipalByAppId(tenant().id, guid(0xcd)),
  ],
  [
    'the assignments to a principal',
    put('appRoleAssignment', otherAssignment),
    (all) => all.assignmentsOf(assignment.principalId),
  ],
  [
    'the assignments of a role',
    put('appRoleAssignment', otherAssignment),
    (all) => all.assignmentsOfRole(assignment.resourceId, assignment.appRoleId),
  ],
  [
    'the assignments to a resource',
    put('appRoleAssignment', otherAssignment),
    (all) => all.assignmentsTo(assignment.resourceId),
  ],
  [
    'an assignment',
    remove('appRoleAssignment', assignment.id),
    (all) => all.appRoleAssignment(assignment.id),
  ],
  ['the tenant', put('tenant', tenant({ isEnabled: false })), (all) => all.tenant(guid(1))],
  ['all tenants', put('tenant', tenant({ isEnabled: false })), (all) => [...all.tenants()]],
]

describe('a group of updates', () => {
  for (const [what, change, read] of conflicts)
    it(`excludes an update that reads an object from the group: ${what}`, async () => {
      assert.deepEqual(await groupOf(changing(change), reading(read)), [0])
      assert.deepEqual(await groupOf(reading(read), changing(change)), [0, 1])
    })

  it('includes updates of different objects', async () => {
    const [one, other] = [
      changing(renamed),
      changing(put('application', another), put('servicePrincipal', otherPrincipal)),
    ]
    assert.deepEqual(
      await groupOf(
        one,
        other,
        reading((all) => all.appRoleAssignment(assignment.id)),
      ),
      [0, 1, 2],
    )
  })

  it('includes an update whose function fails, unless it reads an object from the group', async () => {
    const failing: Decide = (all) => assert.fail(all.application(known.id)?.displayName)
    assert.deepEqual(await groupOf(changing(put('application', another)), failing), [0, 1])
    assert.deepEqual(await groupOf(changing(renamed), failing), [0])
  })

  it('excludes an update that needs unloaded data, unless it is the first', async () => {
    const { cache } = await sampleFollower()
    const [loaded, unloaded] = [
      updateOf(changing(renamed)),
      updateOf(reading((all) => all.application(known.id))),
    ]
    assert.equal(decideGroup(cache, [loaded, unloaded, loaded], 'mark').length, 2)
    assert.throws(() => decideGroup(cache, [unloaded, loaded], 'mark'), NotLoaded)
  })

  it('includes at most 32 changes, unless its first update has more', async () => {
    const many = (count: number) =>
      changing(
        ...Array.from({ length: count }, (_, index) =>
          put('application', application({ id: `${count}.${index}`, appId: `${count}.${index}` })),
        ),
      )
    assert.deepEqual(await groupOf(many(30), many(3), many(2)), [0, 2])
    assert.deepEqual(await groupOf(many(40), many(1)), [0])
  })
})
