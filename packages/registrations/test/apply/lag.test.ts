import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GraphFixture } from '../../../../fixtures/graph/graph-fixture.ts'
import { GraphRefusalError } from '../../src/apply/index.ts'
import { sampleFile } from '../samples.ts'

const withRole = (value: string) => {
  const file = sampleFile()
  file.apis[0]?.appRoles.push({ value, displayName: value, description: value })
  for (const { roles } of [...(file.clients[0]?.permissions ?? []), ...file.consents])
    roles.push(value)
  return file
}

async function appliedWorld(): Promise<GraphFixture> {
  const fixture = new GraphFixture()
  await fixture.apply(sampleFile())
  fixture.slept.length = 0
  return fixture
}

describe('a directory that is late', () => {
  it('is awaited when it does not know a new role yet', async () => {
    const fixture = await appliedWorld()
    fixture.fake.faults.push({
      line: /appRoleAssignedTo$/,
      status: 400,
      times: 2,
      body: {
        error: {
          code: 'Request_BadRequest',
          message: 'Permission being assigned was not found on application',
        },
      },
    })
    const { stopped } = await fixture.apply(withRole('CallByeApiRole'))
    assert.equal(stopped, undefined)
    assert.deepEqual(fixture.waits, [
      'not yet available for references',
      'not yet available for references',
    ])
    assert.equal(fixture.fake.directory.assignments.size, 3)
  })

  it('is not assumed when no object of the request is new', async () => {
    const fixture = await appliedWorld()
    fixture.fake.directory.assignments.clear()
    const plan = await fixture.plan(sampleFile())
    fixture.fake.directory.servicePrincipals.clear()
    const { stopped } = await fixture.carryOut(plan)
    assert.ok(stopped?.error instanceof GraphRefusalError)
    assert.match(stopped.error.message, /Not a valid reference update/)
    assert.deepEqual(fixture.slept, [])
  })

  it('is not awaited for an object that will be removed', async () => {
    const fixture = await appliedWorld()
    fixture.fake.directory.createApplication({ displayName: 'Old job' })
    const file = sampleFile()
    const clients = [...file.clients, { displayName: 'Job' }]
    const plan = await fixture.plan({ ...file, clients, consents: [], removed: ['Old job'] })
    fixture.fake.directory.assignments.clear()
    for (const [id, { displayName }] of fixture.fake.directory.applications)
      if (displayName === 'Old job') fixture.fake.directory.applications.delete(id)
    const { done, stopped } = await fixture.carryOut(plan)
    assert.equal(stopped, undefined)
    assert.deepEqual(
      done.slice(-3).map(({ kind }) => kind),
      ['revokeConsent', 'revokeConsent', 'deleteApplication'],
    )
    assert.deepEqual(fixture.slept, [])
  })
})
