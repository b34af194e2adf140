import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { delegatingLog } from '../../../../test/fixtures/directory/delegating-log.ts'
import { MemoryDirectoryLog } from '../../../../test/fixtures/directory/memory-directory-log.ts'
import {
  application,
  appRoleAssignment,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import { DirectoryStore } from '../../src/live/directory-store.ts'
import { TooManyLookupsError } from '../../src/live/storage-unavailable-error.ts'
import type { Directory } from '../../src/model/directory.ts'
import { type DirectoryChange, put } from '../../src/model/directory-change.ts'

const count = 250
const numbers = Array.from({ length: count }, (_, number) => number)
const ids = (from: number) => numbers.map((number) => guid(from + number))
const [applicationIds, appIds, principalIds] = [ids(0x1000), ids(0x2000), ids(0x3000)]
const [agentIds, assignmentIds] = [ids(0x4000), ids(0x5000)]
const at = (all: readonly string[], number: number) => all[number] ?? ''

const changes = numbers.flatMap((number): DirectoryChange[] => {
  const [id, appId] = [at(applicationIds, number), at(appIds, number)]
  const [principalId, agentId] = [at(principalIds, number), at(agentIds, number)]
  return [
    put('application', application({ id, appId, identifierUris: [`api://${id}`] })),
    put('servicePrincipal', servicePrincipal({ id: principalId, appId })),
    put(
      'servicePrincipal',
      servicePrincipal({
        id: agentId,
        appId: guid(0x6000 + number),
        agentIdentityBlueprintId: appId,
      }),
    ),
    put(
      'appRoleAssignment',
      appRoleAssignment({
        id: at(assignmentIds, number),
        principalId: agentId,
        resourceId: principalId,
      }),
    ),
  ]
})

async function counted(maxCacheWeight?: number) {
  const log = new MemoryDirectoryLog()
  const writer = new DirectoryStore({ log })
  await writer.update(() => ({
    changes: [put('tenant', tenant()), ...changes],
    audit: [],
    result: 1,
  }))
  let loads = 0
  const counting = delegatingLog(() => log, {
    changesAfter: (known, lookups = []) => {
      if (lookups.length > 0) loads += 1
      return log.changesAfter(known, lookups)
    },
  })
  const store = new DirectoryStore({ log: counting, ...(maxCacheWeight && { maxCacheWeight }) })
  await store.refresh()
  return { store, loads: () => loads }
}

const decisions: readonly [string, (directory: Directory) => readonly unknown[]][] = [
  ['each application by its ID', (all) => applicationIds.map((id) => all.application(id))],
  ['each application by its client ID', (all) => appIds.map((id) => all.applicationByAppId(id))],
  [
    'the applications of each identifier URI',
    (all) => applicationIds.flatMap((id) => all.applicationsByIdentifierUri(`api://${id}`)),
  ],
  ['each service principal by its ID', (all) => principalIds.map((id) => all.servicePrincipal(id))],
  [
    'each service principal by its client ID',
    (all) => appIds.map((id) => all.servicePrincipalByAppId(tenant().id, id)),
  ],
  ['the agents of each blueprint', (all) => appIds.flatMap((id) => all.agentsOf(id))],
  ['each assignment by its ID', (all) => assignmentIds.map((id) => all.appRoleAssignment(id))],
  ['the assignments of each client', (all) => agentIds.flatMap((id) => all.assignmentsOf(id))],
  ['the assignments to each API', (all) => principalIds.flatMap((id) => all.assignmentsTo(id))],
  [
    'objects that other objects name',
    (all) =>
      appIds
        .flatMap((id) => all.agentsOf(id))
        .flatMap(({ id }) => all.assignmentsOf(id))
        .map(({ resourceId }) => all.servicePrincipal(resourceId)?.appId),
  ],
]

describe(`a decision about ${count} objects`, () => {
  for (const [what, decide] of decisions)
    for (const [kind, run] of [
      [
        'change',
        (store: DirectoryStore) =>
          store.update((all) => ({ changes: [], audit: [], result: decide(all) })),
      ],
      ['read', (store: DirectoryStore) => store.read(decide)],
    ] as const)
      it(`loads its objects in few steps for a ${kind}: ${what}`, async () => {
        const { loads, store } = await counted()
        const found = await run(store)
        assert.equal(found.filter((one) => one !== undefined).length, count)
        assert.ok(loads() <= 3 + 2 * Math.ceil(count / 100) + 1, `${loads()} loads`)
      })

  it('reports only the error that it causes once the objects are loaded', async () => {
    const { store } = await counted()
    const decide = (all: Directory) => {
      const found = applicationIds.filter((id) => all.application(id) !== undefined)
      throw new TypeError(`${found.length} were found`)
    }
    await assert.rejects(async () => store.read(decide), { message: `${count} were found` })
    const rejecting = (all: Directory) => Promise.reject(new TypeError(`${decide(all)}`))
    await assert.rejects(async () => store.read(rejecting), { message: `${count} were found` })
  })

  it('is refused with a remedy if it needs more than 10,000 lookups, and the store continues', async () => {
    const { store } = await counted()
    const many = Array.from({ length: 10_010 }, (_, number) => guid(0x10_0000 + number))
    const refused = store.update((all) => {
      for (const id of many) all.assignmentsTo(id)
      return { changes: [], audit: [], result: 1 }
    })
    await assert.rejects(refused, (error) => {
      assert.ok(error instanceof TooManyLookupsError)
      assert.match(error.message, /^A request needs more than 10000 lookups.+raise that setting$/)
      return true
    })
    assert.equal(await store.update(() => ({ changes: [], audit: [], result: 'next' })), 'next')
  })
})
