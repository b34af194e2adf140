import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { isClientFailure } from '@greeting/client'
import { GraphRefusalError } from '@greeting/registrations/apply'
import { GraphFixture } from '../../../test/fixtures/graph/graph-fixture.ts'
import { roleMissing } from '../../../test/fixtures/graph/graph-tenant.ts'
import type { AdministratorRequest } from '../../src/administrator/graph-batches.ts'

const create = (displayName: string): AdministratorRequest => ({
  method: 'POST',
  path: '/applications',
  body: { displayName },
  role: 'Application.ReadWrite.All',
})

/** Sends requests in one turn of the event loop. */
const sendAll = (fixture: GraphFixture, requests: readonly AdministratorRequest[]) =>
  Promise.allSettled(requests.map((request) => fixture.graph.send(request)))

const nameOf = (result: PromiseSettledResult<{ readonly body: unknown }>): unknown =>
  result.status === 'fulfilled'
    ? (result.value.body as { readonly displayName: string }).displayName
    : result.reason

const reasonOf = (result: PromiseSettledResult<unknown> | undefined): unknown =>
  result?.status === 'rejected' ? result.reason : undefined

const names = ['a', 'b', 'c', 'd', 'e', 'f']

describe('changes in one turn of the event loop', () => {
  it('are sent in batches of at most four, and each gets a separate response', async () => {
    const fixture = await GraphFixture.start()
    const results = await sendAll(fixture, names.map(create))
    assert.deepEqual(results.map(nameOf), names)
    assert.deepEqual(fixture.tenant.batches, [4, 2])
  })

  it('are sent alone if they are single or reads', async () => {
    const fixture = await GraphFixture.start()
    await fixture.graph.send(create('a'))
    await sendAll(fixture, [
      { method: 'GET', path: '/applications' },
      { method: 'GET', path: '/servicePrincipals' },
      create('b'),
    ])
    assert.deepEqual(fixture.tenant.batches, [])
    assert.equal((await fixture.tenant.applications()).length, 2)
  })

  it('wait while the permitted number of batches is in progress, and are then sent together', async () => {
    const fixture = await GraphFixture.start({ maxBatchesInFlight: 1 })
    const { handle } = fixture.tenant
    const handleLater = async (request: Request) => {
      for (let turn = 0; turn < 10; turn += 1) await setImmediate()
      return handle(request)
    }
    Object.assign(fixture.tenant, { handle: handleLater })
    const first = sendAll(fixture, names.map(create))
    await setImmediate()
    await Promise.all([first, sendAll(fixture, ['g', 'h'].map(create))])
    assert.deepEqual(fixture.tenant.batches, [4, 4])
  })

  it('carry their own ETags', async () => {
    const fixture = await GraphFixture.start()
    const rename = async (change?: object): Promise<AdministratorRequest> => {
      const object = { displayName: 'old' }
      const { id } = await fixture.tenant.send('POST', '/applications', object)
      const path = `/applications/${id}`
      const { etag } = await fixture.graph.send({ method: 'GET', path })
      if (change) await fixture.tenant.send('PATCH', path, change)
      return { method: 'PATCH', path, body: { displayName: 'new' }, ifMatch: etag ?? '' }
    }
    const changes = [await rename(), await rename({ displayName: 'other' })]
    const [renamed, refused] = await sendAll(fixture, changes)
    assert.deepEqual(fixture.tenant.batches, [2])
    assert.equal(renamed?.status, 'fulfilled')
    assert.ok(reasonOf(refused) instanceof GraphRefusalError)
    assert.match(String(reasonOf(refused)), /^GraphRefusalError: PATCH .* status 412 /)
  })
})

describe('a change that fails in a batch', () => {
  it('is repeated after its own Retry-After if it is throttled', async () => {
    const fixture = await GraphFixture.start()
    const throttled = { line: /^POST \/applications$/, status: 429, times: 1 }
    fixture.tenant.faults.push({ ...throttled, headers: { 'retry-after': '7' } })
    const results = await sendAll(fixture, names.slice(0, 4).map(create))
    assert.deepEqual(results.map(nameOf), names.slice(0, 4))
    assert.deepEqual([fixture.waits, fixture.slept], [['throttled'], [7000]])
    assert.deepEqual(fixture.tenant.batches, [4])
    assert.equal(fixture.tenant.lines.length, 5)
  })

  it('is sent alone with a new token after a 401', async () => {
    const fixture = await GraphFixture.start()
    fixture.tenant.faults.push({ line: /^POST \/applications$/, status: 401, times: 2 })
    const results = await sendAll(fixture, names.slice(0, 3).map(create))
    assert.deepEqual(results.map(nameOf), names.slice(0, 3))
    assert.equal((await fixture.tenant.applications()).length, 3)
  })

  it('names its missing role after a 403, and does not stop the other changes', async () => {
    const fixture = await GraphFixture.start()
    fixture.tenant.faults.push({ line: /appRoleAssignedTo$/, times: 2, ...roleMissing })
    const [done, refused] = await sendAll(fixture, [
      create('a'),
      {
        method: 'POST',
        path: '/servicePrincipals/1/appRoleAssignedTo',
        body: {},
        role: 'AppRoleAssignment.ReadWrite.All',
      },
    ])
    assert.equal(done?.status, 'fulfilled')
    assert.ok(isClientFailure(reasonOf(refused)))
    assert.match(String(reasonOf(refused)), /AppRoleAssignment\.ReadWrite\.All/)
  })

  it('reports its line if the whole batch is refused', async () => {
    const fixture = await GraphFixture.start()
    fixture.tenant.faults.push({ line: /^POST \/\$batch$/, status: 400, times: 1 })
    const [first, second] = await sendAll(fixture, [create('a'), create('b')])
    for (const result of [first, second])
      assert.match(String(reasonOf(result)), /POST \/applications was refused with HTTP status 400/)
    assert.equal((await fixture.tenant.applications()).length, 0)
  })

  it('is repeated in a batch if all changes are throttled', async () => {
    const fixture = await GraphFixture.start()
    const throttled = { line: /^POST \/\$batch$/, status: 429, times: 1 }
    fixture.tenant.faults.push({ ...throttled, headers: { 'retry-after': '3' } })
    const results = await sendAll(fixture, [create('a'), create('b')])
    assert.deepEqual(results.map(nameOf), ['a', 'b'])
    assert.deepEqual(fixture.slept, [3000, 3000])
    assert.deepEqual(fixture.tenant.batches, [2])
  })

  it('is repeated after a broken connection only if it is idempotent', async () => {
    const fixture = await GraphFixture.start()
    const { appId } = await fixture.tenant.send('POST', '/applications', { displayName: 'old' })
    fixture.tenant.faults.push({ line: /^POST \/\$batch$/, status: 0, times: 1, afterwards: true })
    const [unknown, repeated] = await sendAll(fixture, [
      create('a'),
      { method: 'POST', path: '/servicePrincipals', body: { appId }, repeatable: true },
    ])
    assert.ok(isClientFailure(reasonOf(unknown)))
    // The directory made both changes, and only the answer was lost.
    assert.match(String(reasonOf(repeated)), /POST \/servicePrincipals .* status 409/)
    assert.equal((await fixture.tenant.applications()).length, 2)
    assert.deepEqual(fixture.waits, ['unreachable'])
  })

  const malformed: readonly (readonly [string, object, RegExp])[] = [
    [
      'without an answer to the change',
      { responses: [] },
      /has no response to POST \/applications$/,
    ],
    ['that is not a batch', { value: [] }, /POST \/\$batch has an unexpected form: responses$/],
  ]
  for (const [name, body, message] of malformed) {
    it(`is reported after a response ${name}`, async () => {
      const fixture = await GraphFixture.start()
      fixture.tenant.faults.push({ line: /^POST \/\$batch$/, status: 200, times: 1, body })
      const results = await sendAll(fixture, [create('a'), create('b')])
      assert.equal(results.length, 2)
      for (const result of results) assert.match(String(reasonOf(result)), message)
    })
  }
})
