import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRegistrations } from '@greeting/registrations'
import { applyPlan } from '../../../src/registrations/apply/apply.ts'
import {
  namesOf,
  readDirectory,
  readWholeDirectory,
} from '../../../src/registrations/apply/read-directory.ts'
import { exportRegistrations } from '../../../src/registrations/planning/export.ts'
import { administrator } from './fake-graph.ts'
import { manyClients } from './many-clients.ts'
import { World } from './world.ts'

const count = 120
const stepsOfClient = [
  'createApplication',
  'createServicePrincipal',
  'setPermissions',
  'grantConsent',
  'createSecret',
]

/** Counts the requests that a world has at a time. */
function countInFlight(world: World): { most: number; now: number } {
  const counts = { most: 0, now: 0 }
  const { handle } = world.stand
  Object.assign(world.stand, {
    handle: async (request: Request) => {
      counts.now += 1
      counts.most = Math.max(counts.most, counts.now)
      await new Promise((resolve) => setImmediate(resolve))
      const answer = await handle(request)
      counts.now -= 1
      return answer
    },
  })
  return counts
}

describe('applying a file with many clients', () => {
  for (const maxRequestsInFlight of [undefined, 1, 3, 64]) {
    const most = maxRequestsInFlight ?? 8
    it(`has at most ${most} requests in flight (option ${maxRequestsInFlight})`, async () => {
      const world = new World()
      const plan = await world.plan(manyClients(count))
      const counts = countInFlight(world)
      const { stopped, done, left } = await applyPlan(plan, {
        graph: world.graph,
        secrets: world.sink,
        ...(maxRequestsInFlight !== undefined && { maxRequestsInFlight }),
      })
      assert.deepEqual([stopped, left.length], [undefined, 0])
      assert.deepEqual(done, plan.changes)
      assert.equal(counts.most, most)
      assert.equal(world.secrets.length, count)
    })
  }

  it('makes the changes of each client in their order', async () => {
    const world = new World()
    const plan = await world.plan(manyClients(10))
    const lines: string[] = []
    const { done } = await applyPlan(plan, {
      graph: world.graph,
      secrets: world.sink,
      onProgress: (activity, number, total) => lines.push(`${activity} ${number}/${total}`),
    })
    for (const { displayName } of manyClients(10).clients) {
      const kinds = done
        .filter(({ application }) => application === displayName)
        .map(({ kind }) => kind)
      assert.deepEqual(kinds, stepsOfClient)
    }
    assert.deepEqual(
      lines,
      Array.from({ length: 55 }, (_, index) => `apply_changes ${index}/54`),
    )
  })

  it('begins no change after a refusal, finishes those in flight, and reports each of them', async () => {
    const world = new World()
    const plan = await world.plan(manyClients(count))
    world.stand.faults.push({ line: /^POST \/applications$/, status: 400, times: 2 })
    const applied = await applyPlan(
      { ...plan, changes: plan.changes.filter(({ application }) => application !== 'Orders') },
      { graph: world.graph, secrets: world.sink },
    )
    const { stopped, alsoRefused, done, left, isInterrupted } = applied
    assert.equal(stopped?.change.kind, 'createApplication')
    assert.equal(alsoRefused.length, 1)
    assert.equal(isInterrupted, false)
    assert.ok(done.length <= 6 && done.length > 0, `${done.length} are done`)
    assert.equal(world.stand.directory.applications.size, done.length)
    assert.equal(done.length + left.length + 2, plan.changes.length - 4)
  })

  it('ends after the changes in flight when the signal is aborted, and continues later', async () => {
    const world = new World()
    const file = manyClients(count)
    const plan = await world.plan(file)
    const controller = new AbortController()
    const applied = await applyPlan(plan, {
      graph: world.graph,
      secrets: world.sink,
      signal: controller.signal,
      onProgress: (_activity, done) => {
        if (done === 100) controller.abort()
      },
    })
    assert.equal(applied.isInterrupted, true)
    assert.equal(applied.stopped, undefined)
    assert.ok(applied.done.length >= 100 && applied.done.length < 108)
    assert.equal(applied.done.length + applied.left.length, plan.changes.length)
    const { stopped, isInterrupted } = await world.apply(file)
    assert.deepEqual([stopped, isInterrupted], [undefined, false])
    assert.equal(world.stand.directory.applications.size, count + 1)
    assert.equal(world.secrets.length, count)
  })
})

describe('reading a directory for a file with many clients', () => {
  it('needs some pages in place of a request for each client, when the directory is small', async () => {
    const world = new World()
    world.stand.pageSize = 999
    await world.apply(manyClients(count))
    world.stand.lines.length = 0
    const plan = await world.plan(manyClients(count))
    assert.deepEqual(plan.changes, [])
    const read = world.stand.lines.filter((line) => !line.includes('federated'))
    assert.equal(read.length, 3, read.join('\n'))
  })

  it('asks by name when the directory has more pages than that saves', async () => {
    const world = new World()
    await world.apply(manyClients(count))
    world.stand.lines.length = 0
    const plan = await world.plan(manyClients(count))
    assert.deepEqual(plan.changes, [])
    const byName = world.stand.lines.filter((line) => line === 'GET /applications')
    // One page more than the budget of one, then each name.
    assert.equal(byName.length, 2 + count + 1)
  })

  it('has at most as many requests in flight as the option says', async () => {
    const world = new World()
    await world.apply(manyClients(40))
    const counts = countInFlight(world)
    const names = namesOf(parseRegistrations(JSON.stringify(manyClients(40))))
    await readDirectory(world.graph, administrator.TENANT_ID, names, { maxRequestsInFlight: 4 })
    assert.equal(counts.most, 4)
  })

  it('finds the same assignments from the APIs as from the clients', async () => {
    const world = new World()
    await world.apply(manyClients(40))
    world.stand.pageSize = 999
    world.stand.lines.length = 0
    const { TENANT_ID } = administrator
    const fromApis = await readWholeDirectory(world.graph, TENANT_ID)
    assert.equal(world.stand.lines.length, 3)
    const names = namesOf(parseRegistrations(JSON.stringify(manyClients(40))))
    const fromClients = await readDirectory(world.graph, TENANT_ID, names)
    const idsOf = ({ assignments }: typeof fromApis) => assignments.map(({ id }) => id).toSorted()
    assert.equal(fromApis.assignments.length, 40)
    assert.deepEqual(idsOf(fromApis), idsOf(fromClients))
    assert.deepEqual(
      exportRegistrations(fromApis).file.consents,
      exportRegistrations({ ...fromApis, assignments: fromClients.assignments }).file.consents,
    )
  })
})
