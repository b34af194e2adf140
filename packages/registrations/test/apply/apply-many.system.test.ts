import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { GraphFixture } from '../../../../test/fixtures/graph/graph-fixture.ts'
import { manyClients } from '../../../../test/fixtures/graph/many-clients.ts'
import { applyPlan, namesOf, readDirectory, readWholeDirectory } from '../../src/apply/index.ts'
import { parseRegistrations } from '../../src/index.ts'
import { exportRegistrations } from '../../src/planning/index.ts'

/** Eight batches of four. */
const changesInFlight = 32
const count = 45
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
  const { handle } = fixture.tenant
  Object.assign(fixture.tenant, {
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
    [undefined, 33],
    [1, 8],
    [3, 14],
    [12, 49],
  ] as const) {
    const most = maxRequestsInFlight ?? 8
    it(`has at most ${most} requests in flight (option ${maxRequestsInFlight})`, async () => {
      const fixture = await GraphFixture.start({
        ...(maxRequestsInFlight && { maxBatchesInFlight: maxRequestsInFlight }),
      })
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
      assert.equal(Math.max(...fixture.tenant.batches), 4)
      assert.equal(fixture.secrets.length, count)
    })
  }

  it("makes each client's changes in order", async () => {
    const fixture = await GraphFixture.start()
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

  it('begins no change after a refusal, completes the current changes, and reports each of them', async () => {
    const fixture = await GraphFixture.start()
    const plan = await fixture.plan(manyClients(count))
    fixture.tenant.faults.push({ line: /^POST \/applications$/, status: 400, times: 2 })
    const applied = await applyPlan(
      { ...plan, changes: plan.changes.filter(({ application }) => application !== 'Orders') },
      { graph: fixture.graph, secrets: fixture.sink },
    )
    const { stopped, alsoRefused, done, left, isInterrupted } = applied
    assert.equal(stopped?.change.kind, 'createApplication')
    assert.equal(alsoRefused.length, 1)
    assert.equal(isInterrupted, false)
    assert.ok(done.length <= changesInFlight - 2 && done.length > 0, `${done.length} are done`)
    assert.equal((await fixture.tenant.applications()).length, done.length)
    assert.equal(done.length + left.length + 2, plan.changes.length - 4)
  })

  it('completes the current changes after the signal is aborted, and continues later', async () => {
    const fixture = await GraphFixture.start()
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
    assert.equal((await fixture.tenant.applications()).length, count + 1)
    assert.equal(fixture.secrets.length, count)
  })
})

describe('reading a directory for a file with many clients', () => {
  /** So many that one page costs less than a request for each. */
  const count = 101
  let many: GraphFixture
  before(async () => {
    many = await GraphFixture.start()
    await many.apply(manyClients(count))
  })

  it('reads pages instead of one object for each client if the directory is small', async () => {
    many.tenant.lines.length = 0
    const plan = await many.plan(manyClients(count))
    assert.deepEqual(plan.changes, [])
    const read = many.tenant.lines.filter((line) => !line.includes('federated'))
    // Microsoft Graph is the second API of every tenant.
    assert.equal(read.length, 4, read.join('\n'))
  })

  it('reads by name if pages would need more requests', async () => {
    many.tenant.pageSize = 2
    many.tenant.lines.length = 0
    const plan = await many.plan(manyClients(count))
    assert.deepEqual(plan.changes, [])
    const byName = many.tenant.lines.filter((line) => line === 'GET /applications')
    // The budget is one page. The second page exceeds it, so each name is read.
    assert.equal(byName.length, 2 + count + 1)
  })

  it('keeps the number of simultaneous requests within the option', async () => {
    many.tenant.pageSize = 2
    const counts = countInFlight(many)
    const names = namesOf(parseRegistrations(JSON.stringify(manyClients(count))))
    await readDirectory(many.graph, many.tenant.administrator.TENANT_ID, names, {
      maxRequestsInFlight: 4,
    })
    assert.equal(counts.most, 4)
  })

  it('finds the same assignments through APIs as through clients', async () => {
    many.tenant.pageSize = undefined
    many.tenant.lines.length = 0
    const { TENANT_ID } = many.tenant.administrator
    const fromApis = await readWholeDirectory(many.graph, TENANT_ID)
    assert.equal(many.tenant.lines.length, 4)
    const names = namesOf(parseRegistrations(JSON.stringify(manyClients(count))))
    const fromClients = await readDirectory(many.graph, TENANT_ID, names)
    const orders = fromClients.assignments[0]?.resourceId
    // The administrator, which the file does not name, has roles of Microsoft Graph.
    const ofOrders = fromApis.assignments.filter(({ resourceId }) => resourceId === orders)
    const idsOf = (all: readonly (typeof ofOrders)[number][]) => all.map(({ id }) => id).toSorted()
    assert.equal(ofOrders.length, count)
    assert.deepEqual(idsOf(ofOrders), idsOf(fromClients.assignments))
    assert.deepEqual(
      exportRegistrations({ ...fromApis, assignments: ofOrders }).file.consents,
      exportRegistrations({ ...fromApis, assignments: fromClients.assignments }).file.consents,
    )
  })
})
