import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { roleOfBlueprints } from '@greeting/directory'
import { graphOperations } from '../../../src/management/graph/graph-operations.ts'
import type { Operation } from '../../../src/management/operations/operation.ts'
import { hasRoles, type RequiredRoles } from '../../../src/management/privileges/caller.ts'
import { graphRoles } from '../../../src/management/privileges/graph-roles.ts'
import { serverRoles } from '../../../src/management/privileges/server-roles.ts'
import { refusalRow, refusals } from '../../../src/management/refusals/refusals.ts'
import { serverOperations } from '../../../src/management/server/server-operations.ts'
import { contoso } from '../sample-graph.ts'
import { privilegeScene, type Scene } from './privilege-fixture.ts'
import { askOf, bodies, nameOf } from './privilege-requests.ts'
import type { Target } from './privilege-row.ts'
import { privilegeTable } from './privilege-table.ts'

const ofServer = serverOperations({
  keys: {} as never,
  audit: {} as never,
  findEndingCredentials: async () => [],
})
const operations: readonly Operation[] = [...graphOperations, ...ofServer]

/** No role, each role alone, and the pairs that admin consent and an assignment of policies require. */
const holders: readonly (readonly string[])[] = [
  [],
  // The role of blueprints is good for their own agents only, and has tests of its own.
  ...[...Object.keys(graphRoles), ...Object.keys(serverRoles)]
    .filter((role) => role !== roleOfBlueprints)
    .map((role) => [role]),
  ['AppRoleAssignment.ReadWrite.All', 'Application.Read.All'],
  ['Policy.ReadWrite.ApplicationConfiguration', 'Application.Read.All'],
]

const rowOf = (operation: Operation) => privilegeTable[nameOf(operation)] ?? [[], {}]
const meets = (roles: readonly string[], requires: RequiredRoles) =>
  requires.every((group) => group.some((role) => roles.includes(role)))

/** Whether the operation itself refuses some callers, whom the roles that it declares admit. */
const judgesRoles = (operation: Operation) =>
  holders.some((roles) => hasRoles(roles, operation.requires) && !meets(roles, rowOf(operation)[0]))

/**
 * Every cell that needs a request: the roles of the caller, the operation, its object, and the outcome.
 * Whether a caller has a role is one pure question. So the caller without any role sends a request for its
 * refusal, and one of the others for each other outcome; all of them only where the operation judges roles.
 */
const cells = operations.flatMap((operation) => {
  const sent = new Set<string>()
  return holders.flatMap((roles) => {
    const [requires, outcomes] = rowOf(operation)
    const isAdmitted = meets(roles, requires)
    if (!hasRoles(roles, operation.requires) && roles.length > 0) return []
    return Object.entries(outcomes).flatMap(([name, expected]) => {
      const outcome = isAdmitted ? expected : 'role_missing'
      const isFirst = !sent.has(`${name} ${outcome}`)
      sent.add(`${name} ${outcome}`)
      const isSent = isFirst || (judgesRoles(operation) && expected === 'allowed')
      return isSent ? [{ operation, roles, target: name as Target, outcome }] : []
    })
  })
})

/** For requests that change nothing. */
const sharedScenes = new Map<string, Promise<Scene>>()

function sceneOf({ operation, outcome, roles, target }: (typeof cells)[number]): Promise<Scene> {
  const isDeleted = operation.path.startsWith('/directory/deletedItems')
  // A refusal must leave the directory as it is. The request about an assignment prepares one.
  const changesNothing =
    operation.method === 'GET' || (outcome !== 'allowed' && target !== 'lackedRole')
  if (!changesNothing) return privilegeScene(roles, isDeleted)
  const key = `${isDeleted} ${roles}`
  const scene = sharedScenes.get(key) ?? privilegeScene(roles, isDeleted)
  sharedScenes.set(key, scene)
  return scene
}

async function outcomeMatches(cell: (typeof cells)[number]): Promise<void> {
  const { operation, outcome, roles, target } = cell
  const isOfServer = ofServer.some(({ path, method }) => nameOf(operation) === `${method} ${path}`)
  const scene = await sceneOf(cell)
  const ask = askOf(operation)
  const { path, body } = await ask(scene, target)
  const { revision } = scene.log.directory
  const send = isOfServer ? scene.requestManagement : scene.request
  const headers = {
    authorization: `Bearer ${contoso.id}:${scene.caller.application.appId}`,
    consistencylevel: 'eventual',
  }
  const reply = await send(operation.method, path, body, headers)
  const answer = `${roles.join(' and ')}, ${outcome}: ${reply.status} ${JSON.stringify(reply.body)}`
  assert.deepEqual(scene.reports, [], answer)
  if (outcome === 'allowed') {
    assert.ok(reply.status < 300, answer)
    if (operation.method === 'GET') assert.equal(scene.log.directory.revision, revision, answer)
    return
  }
  const { code, status } = refusalRow(outcome)
  assert.deepEqual([reply.status, reply.body.error?.code], [status, code], answer)
  const [beginning = ''] = (refusals[outcome].sentence as (value: string) => string)('…').split('…')
  assert.ok(reply.body.error.message.startsWith(beginning), answer)
  assert.equal(scene.log.directory.revision, revision, answer)
}

describe('the table of privileges (AS32)', () => {
  it('has a row for every operation', () => {
    assert.deepEqual(Object.keys(privilegeTable).toSorted(), operations.map(nameOf).toSorted())
  })

  it('lists at least the roles that each operation requires from each caller', () => {
    for (const operation of operations) {
      const [requires] = rowOf(operation)
      for (const roles of holders.filter((one) => !hasRoles(one, operation.requires)))
        assert.ok(!meets(roles, requires), `${nameOf(operation)} for ${roles.join(' and ')}`)
    }
  })

  it('lists all roles in the declarations of the operations, except these', () => {
    assert.deepEqual(operations.filter(judgesRoles).map(nameOf).toSorted(), [
      'PATCH /applications/{id}/microsoft.graph.agentIdentityBlueprint',
      'POST /applications/{id}/addKey',
      'POST /applications/{id}/removeKey',
    ])
  })

  it('permits nothing without a token', async () => {
    const { request, requestManagement } = await privilegeScene([], false)
    for (const operation of operations) {
      const send = ofServer.some((own) => own === operation) ? requestManagement : request
      const path = operation.path.replaceAll(/\{\w+\}/g, contoso.id)
      const reply = await send(operation.method, path, bodies[nameOf(operation)], {})
      assert.equal(reply.status, 401, nameOf(operation))
      assert.equal(reply.body.error.code, 'InvalidAuthenticationToken', nameOf(operation))
      assert.equal(reply.headers.get('www-authenticate'), 'Bearer realm="management"')
    }
  })

  for (const [name, row] of Map.groupBy(
    cells,
    ({ operation, target }) => `${nameOf(operation)} on ${target}`,
  )) {
    it(`matches the outcome for a caller with each role: ${name}`, async () => {
      for (const cell of row) await outcomeMatches(cell)
    })
  }
})
