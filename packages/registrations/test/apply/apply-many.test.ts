import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { administrator } from '../../../../fixtures/graph/fake-graph.ts'
import { GraphFixture } from '../../../../fixtures/graph/graph-fixture.ts'
import { manyClients } from '../../../../fixtures/graph/many-clients.ts'
import { applyPlan, namesOf, readDirectory, readWholeDirectory } from '../../src/apply/index.ts'
import { parseRegistrations } from '../../src/index.ts'
import { exportRegistrations } from '../../src/planning/index.ts'

/** Eight batches of four. */
const changesInFlight = 32
const count = 70
const stepsOfClient = [
  'createApplication',
  'createServicePrincipal',
  'setPermissions',
  'grantConsent',
  'createSecret',
]

/** Counts the concurrent requests of a fixture. */
function countInFlight(fixture: GraphFixture): { most: number; now: number } {
  const counts = { most: 0, now: 0 }
  const { handle } = fixture.fake
  Object.assign(fixture.fake, {
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
  for (const [maxRequestsInFlight, count] of [
    [undefined, 40],
    [1, 16],
    [3, 16],
    [64, 260],
  ] as const) {
    const most = maxRequestsInFlight ?? 8
    it(`has at most ${most} requests in flight (option ${maxRequestsInFlight})`, async () => {
      const fixture = new GraphFixture(maxRequestsInFlight)
      const plan = await fixture.plan(manyClients(count))
      const counts = countInFlight(fixture)
      const { stopped, done, left } = await applyPlan(plan, {
        graph: fixture.graph,
        secrets: fixture.sink,
        ...(maxRequestsInFlight !== undefined && { maxRequestsInFlight }),
      })
      assert.deepEqual([stopped, left.length], [undefined, 0])
      assert.deepEqual(done, plan.changes)
      assert.equal(counts.most, most)
      assert.equal(Math.max(...fixture.fake.batches), 4)
      assert.equal(fixture.secrets.length, count)
    })
  }

  it('makes the changes of each client in their order', async () => {
    const fixture = new GraphFixture()
    const plan = await fixture.plan(manyClients(10))
    const shown: number[] = []
    const { done } = await applyPlan(plan, {
      graph: fixture.graph,
      secrets: fixture.sink,
      onProgress: (_activity, number, total) => {
        assert.equal(total, plan.changes.length)
        shown.push(number)
      },
    })
    for (const { displayName } of manyClients(10).clients) {
      const kinds = done
        .filter(({ application }) => application === displayName)
        .map(({ kind }) => kind)
      assert.deepEqual(kinds, stepsOfClient)
    }
    // The request for a client makes its permissions and its secret too.
    assert.deepEqual(
      shown,
      [...new Set(shown)].sort((one, other) => one - other),
    )
    assert.deepEqual([shown.at(0), shown.at(-1)], [0, plan.changes.length])
  })

  it('begins no change after a refusal, finishes those in flight, and reports each of them', async () => {
    const fixture = new GraphFixture()
    const plan = await fixture.plan(manyClients(count))
    fixture.fake.faults.push({ line: /^POST \/applications$/, status: 400, times: 2 })
    const applied = await applyPlan(
      { ...plan, changes: plan.changes.filter(({ application }) => application !== 'Orders') },
      { graph: fixture.graph, secrets: fixture.sink },
    )
    const { stopped, alsoRefused, done, left, isInterrupted } = applied
    assert.equal(stopped?.change.kind, 'createApplication')
    assert.equal(alsoRefused.length, 1)
    assert.equal(isInterrupted, false)
    assert.ok(done.length <= changesInFlight - 2 && done.length > 0, `${done.length} are done`)
    assert.equal(fixture.fake.directory.applications.size, done.length)
    assert.equal(done.length + left.length + 2, plan.changes.length - 4)
  })

  it('ends after the changes in flight when the signal is aborted, and continues later', async () => {
    const fixture = new GraphFixture()
    const file = manyClients(count)
    const plan = await fixture.plan(file)
    const controller = new AbortController()
    const applied = await applyPlan(plan, {
      graph: fixture.graph,
      secrets: fixture.sink,
      signal: controller.signal,
      onProgress: (_activity, done) => {
        if (done >= 60) controller.abort()
      },
    })
    assert.equal(applied.isInterrupted, true)
    assert.equal(applied.stopped, undefined)
    // The request for a client makes three changes.
    assert.ok(applied.done.length >= 60 && applied.done.length < 60 + changesInFlight * 3)
    assert.equal(applied.done.length + applied.left.length, plan.changes.length)
    const { stopped, isInterrupted } = await fixture.apply(file)
    assert.deepEqual([stopped, isInterrupted], [undefined, false])
    assert.equal(fixture.fake.directory.applications.size, count + 1)
    assert.equal(fixture.secrets.length, count)
  })
})

describe('reading a directory for a file with many clients', () => {
  /** So many that one page costs less than a request for each. */
  const count = 120
  const many = new GraphFixture()
  const fewer = new GraphFixture()
  before(async () => {
    await many.apply(manyClients(count))
    await fewer.apply(manyClients(40))
  })

  it('reads pages instead of one object for each client when the directory is small', async () => {
    many.fake.pageSize = 999
    many.fake.lines.length = 0
    const plan = await many.plan(manyClients(count))
    assert.deepEqual(plan.changes, [])
    const read = many.fake.lines.filter((line) => !line.includes('federated'))
    assert.equal(read.length, 3, read.join('\n'))
  })

  it('reads by name when the pages would need more requests', async () => {
    many.fake.pageSize = 2
    many.fake.lines.length = 0
    const plan = await many.plan(manyClients(count))
    assert.deepEqual(plan.changes, [])
    const byName = many.fake.lines.filter((line) => line === 'GET /applications')
    // The budget is one page. The second page exceeds it, so each name is read.
    assert.equal(byName.length, 2 + count + 1)
  })

  it('has at most as many requests in flight as the option says', async () => {
    fewer.fake.pageSize = 2
    const counts = countInFlight(fewer)
    const names = namesOf(parseRegistrations(JSON.stringify(manyClients(40))))
    await readDirectory(fewer.graph, administrator.TENANT_ID, names, { maxRequestsInFlight: 4 })
    assert.equal(counts.most, 4)
  })

  it('finds the same assignments from the APIs as from the clients', async () => {
    fewer.fake.pageSize = 999
    fewer.fake.lines.length = 0
    const { TENANT_ID } = administrator
    const fromApis = await readWholeDirectory(fewer.graph, TENANT_ID)
    assert.equal(fewer.fake.lines.length, 3)
    const names = namesOf(parseRegistrations(JSON.stringify(manyClients(40))))
    const fromClients = await readDirectory(fewer.graph, TENANT_ID, names)
    const idsOf = ({ assignments }: typeof fromApis) => assignments.map(({ id }) => id).toSorted()
    assert.equal(fromApis.assignments.length, 40)
    assert.deepEqual(idsOf(fromApis), idsOf(fromClients))
    assert.deepEqual(
      exportRegistrations(fromApis).file.consents,
      exportRegistrations({ ...fromApis, assignments: fromClients.assignments }).file.consents,
    )
  })
})
