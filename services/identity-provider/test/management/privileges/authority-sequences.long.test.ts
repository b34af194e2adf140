import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownerTenantId } from '@greeting/directory'
import fc from 'fast-check'
import { serverOperations } from '../../../src/management/server/server-operations.ts'
import { changesOnce } from '../sample-writes.ts'
import type { Step } from './authority-scene.ts'
import { asks } from './authority-steps.ts'
import { appIdsOf, authorityAs, authorityHeld, authorityOf, clientIdsOf } from './held-authority.ts'
import { actingPeople, declaredRoles, everyRole, isDue, type Start } from './sample-callers.ts'

/** The number of sequences in a batch. */
const sequences = Number(process.env.SEQUENCES ?? 200)
const mostBatches = 10
/** The same sequences in each run, so that each operation succeeds in one of them. */
const seed = Number(process.env.SEED ?? 2)
const longestSequence = 40
const operationsOfServer = serverOperations({
  keys: {} as never,
  audit: {} as never,
  findEndingCredentials: async () => [],
})
const changing = [...changesOnce, ...operationsOfServer]
  .filter((operation) => 'action' in operation)
  .map(({ method, path }) => `${method} ${path}`)
const ofServer = new Set(operationsOfServer.map(({ method, path }) => `${method} ${path}`))

/** Operations that could move authority are tested more often than the others. */
const weights: Readonly<Record<string, number>> = {
  'PATCH /applications/{id}': 10,
  'POST /applications/{id}/addPassword': 12,
  'POST /applications/{id}/federatedIdentityCredentials': 8,
  'PATCH /applications/{id}/federatedIdentityCredentials/{credential}': 4,
  'DELETE /applications/{id}/federatedIdentityCredentials/{credential}': 4,
  'POST /applications/{id}/removePassword': 2,
  'POST /servicePrincipals/{id}/appRoleAssignments': 3,
  'DELETE /servicePrincipals/{id}/appRoleAssignments/{assignment}': 3,
  'DELETE /servicePrincipals/{id}/appRoleAssignedTo/{assignment}': 3,
  'DELETE /directory/deletedItems/{id}': 3,
  'DELETE /applications/{id}': 3,
  'DELETE /servicePrincipals/{id}': 5,
  'PATCH /servicePrincipals/{id}': 4,
  'POST /directory/deletedItems/{id}/restore': 8,
  'POST /servicePrincipals/{id}/appRoleAssignedTo': 8,
  'POST /servicePrincipals/{id}/addPassword': 10,
  'POST /servicePrincipals/{id}/addKey': 3,
  'POST /applications/{id}/addKey': 3,
  'POST /servicePrincipals/{id}/removePassword': 2,
  'POST /applications/{id}/owners/$ref': 3,
  'DELETE /applications/{id}/owners/{owner}/$ref': 5,
  'POST /servicePrincipals/{id}/owners/$ref': 3,
  'DELETE /servicePrincipals/{id}/owners/{owner}/$ref': 3,
  'POST /oauth2PermissionGrants': 3,
  'PATCH /oauth2PermissionGrants/{grant}': 2,
  'DELETE /oauth2PermissionGrants/{grant}': 2,
  'POST /tenants': 2,
  'POST /applications/{id}/microsoft.graph.agentIdentityBlueprint/inheritablePermissions': 24,
  'PATCH /applications/{id}/microsoft.graph.agentIdentityBlueprint/inheritablePermissions/{resource}': 16,
  restart: 3,
}

const steps = fc.array(
  fc.record({
    operation: fc.oneof(
      ...[...changing, 'restart'].map((operation) => ({
        weight: weights[operation] ?? 1,
        arbitrary: fc.constant(operation),
      })),
    ),
    person: fc.oneof(
      { weight: 4, arbitrary: fc.constant('leader' as const) },
      { weight: 3, arbitrary: fc.constant('writer' as const) },
      { weight: 3, arbitrary: fc.nat(5) },
    ),
    credential: fc.nat(3),
    onFocus: fc.oneof(
      { weight: 6, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    ),
    object: fc.nat(20),
    api: fc.nat(1),
    role: fc.nat(15),
    variant: fc.nat(39),
  }),
  { minLength: 20, maxLength: longestSequence },
)

const start: fc.Arbitrary<Start> = fc.record({
  roles: fc.array(fc.uniqueArray(fc.nat(everyRole.length - 1)), { minLength: 3, maxLength: 3 }),
  hasOwnerTenant: fc.boolean(),
  lacksDeclarations: fc.oneof(
    { weight: 1, arbitrary: fc.constant(true) },
    { weight: 3, arbitrary: fc.constant(false) },
  ),
  // Two tenants have more combinations than one.
  focus: fc.constantFrom(
    ...([
      'administrator',
      'blueprint',
      'blueprint',
      'everywhere',
      'home',
      'person',
      'management',
    ] as const),
    ...Array.from({ length: 3 }, () => 'visitor' as const),
  ),
  rolesOfMultiTenant: fc.array(
    fc.record({ atHome: fc.uniqueArray(fc.nat(2)), away: fc.uniqueArray(fc.nat(2)) }),
    { minLength: 2, maxLength: 2 },
  ),
})

type Scene = Awaited<ReturnType<typeof actingPeople>>

/** Takes one step as one person, and records the received secrets and the assigned roles. */
async function take(scene: Scene, step: Step): Promise<number> {
  if (step.operation === 'restart') {
    await scene.restart()
    return 204
  }
  const directory = scene.log.directory
  const { leader, people, writer } = scene
  const person = { leader, writer }[step.person] ?? people[Number(step.person)] ?? writer
  // The real token decision determines in which tenants the person can authenticate.
  const clients = clientIdsOf(directory, person).flatMap((applicationId) =>
    [...directory.servicePrincipalsOfApplication(applicationId)].map(({ tenantId }) => ({
      applicationId,
      tenantId,
    })),
  )
  const acting = clients[step.credential % Math.max(1, clients.length)]
  if (!acting || authorityAs(directory, person, acting, scene.runtime.now()).length === 0) return 0
  const asked = asks[step.operation]?.({
    directory,
    step,
    person,
    ...acting,
    focusAppId: scene.focusAppId,
    principalAppId: scene.principalAppId,
  })
  if (asked === undefined) return 0
  const send = ofServer.has(step.operation) ? scene.requestManagement : scene.request
  const method = step.operation.split(' ')[0] ?? ''
  const authorization = `Bearer ${acting.tenantId}:${acting.applicationId}`
  const headers = { authorization, ...asked.headers }
  const reply = await send(method, asked.path, asked.body, headers)
  if (reply.status >= 300) return reply.status
  const { administrator = reply.body, secretText } = reply.body
  const { clientId, clientSecret } = administrator as { clientId?: string; clientSecret?: string }
  const learn = (appId: string, secret: string) =>
    person.secrets.set(appId, [...(person.secrets.get(appId) ?? []), secret])
  if (clientId !== undefined && clientSecret !== undefined) learn(clientId, clientSecret)
  if (secretText !== undefined) {
    const id = asked.path.split('/')[2] ?? ''
    const { appId = '' } = directory.application(id) ?? directory.servicePrincipal(id) ?? {}
    learn(appId, secretText)
  }
  for (const one of (reply.body.passwordCredentials ?? []) as readonly { secretText?: string }[]) {
    if (one.secretText !== undefined) learn(reply.body.appId, one.secretText)
  }
  const body = asked.body as { principalId?: string; resourceId?: string; appRoleId?: string }
  if (body?.appRoleId !== undefined) {
    const client = directory.servicePrincipal(body.principalId ?? '')
    const api = directory.servicePrincipal(body.resourceId ?? '')
    const role = declaredRoles(directory, api?.appId ?? '').find(({ id }) => id === body.appRoleId)
    const given = authorityOf(acting.tenantId, role?.value ?? '')
    assert.ok(isDue(person, given), `${person.name} gives ${given}`)
    for (const other of scene.people)
      if (appIdsOf(directory, other, acting.tenantId).includes(client?.appId ?? ''))
        other.due.add(given)
  }
  return reply.status
}

describe('random sequences of management calls (AS32)', () => {
  it('contain every operation that changes the directory', () => {
    assert.deepEqual(Object.keys(asks).toSorted(), changing.toSorted())
  })

  it('give no client a role that neither it nor the caller had before', async () => {
    const missing = new Set([...changing, 'restart'])
    const property = fc.asyncProperty(start, steps, async (from, sequence) => {
      const scene = await actingPeople(from)
      for (const step of sequence) {
        const status = await take(scene, step)
        if (status === 0 || status >= 300) continue
        missing.delete(step.operation)
        const directory = scene.log.directory
        for (const person of scene.people)
          for (const authority of authorityHeld(directory, person, scene.runtime.now()))
            assert.ok(isDue(person, authority), `${person.name} has ${authority}`)
        const hasOwner = directory.tenant(ownerTenantId) !== undefined
        assert.equal(hasOwner, from.hasOwnerTenant)
      }
      assert.deepEqual(scene.reports, [])
    })
    // Until each operation has changed something, because otherwise the test could pass without it.
    for (let batch = 0; batch === 0 || (missing.size > 0 && batch < mostBatches); batch++)
      await fc.assert(property, { numRuns: sequences, seed: seed + batch })
    assert.deepEqual([...missing], [], 'operations that never succeeded')
  })
})
