import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GraphFixture } from '../../../../test/fixtures/graph/graph-fixture.ts'
import { GraphRefusalError } from '../../src/apply/index.ts'
import { sampleFile } from '../samples.ts'

const withRole = (value: string) => {
  const file = sampleFile()
  file.apis[0]?.appRoles.push({ value, displayName: value, description: value })
  for (const { roles } of [...(file.clients[0]?.permissions ?? []), ...file.consents])
    roles.push(value)
  return file
}

async function appliedFixture(): Promise<GraphFixture> {
  const fixture = await GraphFixture.start()
  await fixture.apply(sampleFile())
  fixture.slept.length = 0
  return fixture
}

describe('a delayed directory', () => {
  it('is awaited if it does not show a new role yet', async () => {
    const fixture = await appliedFixture()
    fixture.tenant.faults.push({
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
    assert.equal((await fixture.tenant.assignments()).length, 3)
  })

  it('is not suspected if no object in the request is new', async () => {
    const fixture = await appliedFixture()
    await fixture.tenant.removeAssignments()
    const plan = await fixture.plan(sampleFile())
    for (const { id } of await fixture.tenant.servicePrincipals())
      await fixture.tenant.send('DELETE', `/servicePrincipals/${id}`)
    const { stopped } = await fixture.carryOut(plan)
    assert.ok(stopped?.error instanceof GraphRefusalError)
    assert.equal(stopped.error.status, 404)
    assert.deepEqual(fixture.slept, [])
  })

  it('is not awaited for an object that will be removed', async () => {
    const fixture = await appliedFixture()
    const { id } = await fixture.tenant.send('POST', '/applications', { displayName: 'Old job' })
    const file = sampleFile()
    const clients = [...file.clients, { displayName: 'Job' }]
    const plan = await fixture.plan({ ...file, clients, consents: [], removed: ['Old job'] })
    await fixture.tenant.removeAssignments()
    await fixture.tenant.send('DELETE', `/applications/${id}`)
    const { done, stopped } = await fixture.carryOut(plan)
    assert.equal(stopped, undefined)
    assert.deepEqual(
      done.slice(-3).map(({ kind }) => kind),
      ['revokeConsent', 'revokeConsent', 'deleteApplication'],
    )
    assert.deepEqual(fixture.slept, [])
  })
})
