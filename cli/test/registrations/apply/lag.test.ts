import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sampleFile } from '@greeting/registrations/samples'
import { GraphRefusalError } from '../../../src/administrator/graph-refusal-error.ts'
import { World } from './world.ts'

const withRole = (value: string) => {
  const file = sampleFile()
  file.apis[0]?.appRoles.push({ value, displayName: value, description: value })
  for (const { roles } of [...(file.clients[0]?.permissions ?? []), ...file.consents])
    roles.push(value)
  return file
}

async function appliedWorld(): Promise<World> {
  const world = new World()
  await world.apply(sampleFile())
  world.slept.length = 0
  return world
}

describe('a directory that is late', () => {
  it('is waited for when it does not know a role yet that was just declared', async () => {
    const world = await appliedWorld()
    world.stand.faults.push({
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
    const { stopped } = await world.apply(withRole('CallByeApiRole'))
    assert.equal(stopped, undefined)
    assert.deepEqual(world.waits, [
      'not yet available for references',
      'not yet available for references',
    ])
    assert.equal(world.stand.directory.assignments.size, 3)
  })

  it('is not assumed when no object of the request is new', async () => {
    const world = await appliedWorld()
    world.stand.directory.assignments.clear()
    const plan = await world.plan(sampleFile())
    world.stand.directory.servicePrincipals.clear()
    const { stopped } = await world.carryOut(plan)
    assert.ok(stopped?.error instanceof GraphRefusalError)
    assert.match(stopped.error.message, /Not a valid reference update/)
    assert.deepEqual(world.slept, [])
  })

  it('is not awaited for an object that will be removed', async () => {
    const world = await appliedWorld()
    world.stand.directory.createApplication({ displayName: 'Old job' })
    const file = sampleFile()
    const clients = [...file.clients, { displayName: 'Job' }]
    const plan = await world.plan({ ...file, clients, consents: [], removed: ['Old job'] })
    world.stand.directory.assignments.clear()
    for (const [id, { displayName }] of world.stand.directory.applications)
      if (displayName === 'Old job') world.stand.directory.applications.delete(id)
    const { done, stopped } = await world.carryOut(plan)
    assert.equal(stopped, undefined)
    assert.deepEqual(
      done.slice(-3).map(({ kind }) => kind),
      ['revokeConsent', 'revokeConsent', 'deleteApplication'],
    )
    assert.deepEqual(world.slept, [])
  })
})
