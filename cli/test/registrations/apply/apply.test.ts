import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { isClientFailure } from '@greeting/client'
import { sampleFile } from '@greeting/registrations/samples'
import { GraphRefusalError } from '../../../src/administrator/graph-refusal-error.ts'
import { administrator } from './fake-graph.ts'
import { World } from './world.ts'

const kinds = (changes: readonly { readonly kind: string }[]) => changes.map(({ kind }) => kind)

const allKinds = [
  'createApplication',
  'updateApplication',
  'createServicePrincipal',
  'setAppRoles',
  'createApplication',
  'createServicePrincipal',
  'setPermissions',
  'grantConsent',
  'grantConsent',
  'createSecret',
]

async function appliedWorld(): Promise<World> {
  const world = new World()
  const { stopped } = await world.apply(sampleFile())
  assert.equal(stopped, undefined)
  return world
}

describe('applying a file', () => {
  it('does the six acts in an empty directory, in the order in which they can be done', async () => {
    const world = new World()
    const { done, left, stopped } = await world.apply(sampleFile())
    assert.deepEqual([kinds(done), left, stopped], [allKinds, [], undefined])
    const [api, client] = world.stand.directory.applications.values()
    assert.deepEqual(api?.identifierUris, [`api://${api?.appId}`])
    assert.equal(world.stand.directory.assignments.size, 2)
    const [secret] = world.secrets
    assert.equal(world.secrets.length, 1)
    assert.match(secret?.secretText ?? '', /^secret~/)
    assert.equal(secret?.clientId, client?.appId)
    assert.deepEqual(secret?.apiApplicationIds, [api?.appId])
    assert.equal(secret?.endDateTime.toISOString(), '2026-08-28T12:00:00.000Z')
  })

  it('a second time changes nothing, and sends nothing that could', async () => {
    const world = await appliedWorld()
    world.stand.lines.length = 0
    const { done } = await world.apply(sampleFile())
    assert.deepEqual(done, [])
    assert.deepEqual(
      world.stand.lines.filter((line) => !line.startsWith('GET ')),
      [],
    )
  })

  for (const lag of [1, 3]) {
    it(`waits for objects that are seen only when asked for ${lag + 1} times`, async () => {
      const world = new World()
      world.stand.directory.lag = lag
      const { stopped } = await world.apply(sampleFile())
      assert.equal(stopped, undefined)
      assert.equal(world.stand.directory.applications.size, 2)
      assert.equal(world.stand.directory.assignments.size, 2)
      const reasons = new Set(world.waits)
      assert.deepEqual([...reasons].sort(), ['not found yet', 'not yet available for references'])
    })
  }

  it('counts a removal by another process as done, without waiting', async () => {
    const world = await appliedWorld()
    const plan = await world.plan({ removed: ['Greeting client'] })
    world.stand.directory.applications.clear()
    const { done, stopped } = await world.carryOut(plan)
    assert.deepEqual([kinds(done), stopped], [['deleteApplication'], undefined])
    assert.deepEqual(world.slept, [])
  })

  it('overwrites no change of another process since the plan', async () => {
    const world = await appliedWorld()
    const [api = {}] = world.stand.directory.applications.values()
    api['@odata.etag'] = 'W/"7"'
    api.displayName = 'Old name'
    const apis = [{ ...sampleFile().apis[0], applicationId: String(api.appId) }]
    const plan = await world.plan({ apis })
    Object.assign(api, { '@odata.etag': 'W/"8"', displayName: 'Name of somebody else' })
    const { stopped } = await world.carryOut(plan)
    assert.ok(stopped?.error instanceof GraphRefusalError && stopped.error.status === 412)
    assert.equal(api.displayName, 'Name of somebody else')
    assert.deepEqual(kinds((await world.apply({ apis })).done), ['updateApplication'])
  })

  it('obeys Retry-After when it is throttled, whatever is asked', async () => {
    const world = new World()
    const throttled = { status: 429, headers: { 'retry-after': '7' } }
    world.stand.faults.push({ line: /^POST \/applications$/, times: 2, ...throttled })
    world.stand.faults.push({ line: /addPassword/, times: 1, ...throttled })
    const { stopped } = await world.apply(sampleFile())
    assert.equal(stopped, undefined)
    assert.deepEqual(world.slept, [7000, 7000, 7000])
    assert.equal(world.stand.directory.applications.size, 2)
  })

  it('follows the pages of every list', async () => {
    const world = await appliedWorld()
    for (let count = 0; count < 5; count += 1)
      world.stand.directory.createApplication({ displayName: 'Greeting API' })
    const { faults } = await world.plan(sampleFile())
    assert.match(faults[0] ?? '', /^6 applications match "Greeting API"/)
  })

  const lostAnswers: [string, RegExp][] = [
    ['a service principal', /^POST \/servicePrincipals$/],
    ['an assignment', /^POST .*appRoleAssignedTo$/],
    ['a change', /^PATCH \/applications/],
  ]
  for (const [what, line] of lostAnswers) {
    for (const status of [0, 503]) {
      it(`takes ${what} as made when only the answer was lost (${status || 'connection cut'})`, async () => {
        const world = new World()
        world.stand.faults.push({ line, status, times: 1, afterwards: true })
        const { stopped } = await world.apply(sampleFile())
        assert.equal(stopped, undefined)
        assert.equal(world.stand.directory.servicePrincipals.size, 2)
        assert.equal(world.stand.directory.assignments.size, 2)
      })
    }
  }

  it('does not make a second secret when the answer to the first was lost', async () => {
    const world = new World()
    world.stand.faults.push({ line: /addPassword/, status: 503, times: 1, afterwards: true })
    const { stopped, done } = await world.apply(sampleFile())
    assert.equal(stopped?.change.kind, 'createSecret')
    assert.equal(done.length, allKinds.length - 1)
    const secrets = [...world.stand.directory.applications.values()].flatMap(
      ({ passwordCredentials }) => passwordCredentials,
    )
    assert.equal(secrets.length, 1)
  })

  it('takes back a secret that cannot be kept', async () => {
    const world = new World()
    world.sink = {
      prepare: async () => undefined,
      keep: async () => {
        throw new Error('the disk is full')
      },
    }
    const { stopped } = await world.apply(sampleFile())
    assert.match(String(stopped?.error), /the disk is full/)
    for (const { passwordCredentials } of world.stand.directory.applications.values())
      assert.deepEqual(passwordCredentials, [])
  })

  it('changes nothing when secrets could not be kept', async () => {
    const world = new World()
    world.sink = {
      prepare: async () => {
        throw new Error('the folder is read-only')
      },
      keep: async () => undefined,
    }
    await assert.rejects(world.apply(sampleFile()), /read-only/)
    assert.deepEqual(
      world.stand.lines.filter((line) => !line.startsWith('GET ')),
      [],
    )
  })

  it('stops at the first refusal, reports the completed changes, and continues there in the next run', async () => {
    const world = new World()
    world.stand.roles = ['Application.ReadWrite.All']
    const { done, stopped, left } = await world.apply(sampleFile())
    assert.deepEqual(kinds(done), allKinds.slice(0, 7))
    assert.equal(stopped?.change.kind, 'grantConsent')
    assert.ok(isClientFailure(stopped?.error) && stopped.error.code === 'role_missing')
    assert.match(stopped.error.message, /AppRoleAssignment\.ReadWrite\.All/)
    assert.deepEqual(kinds(left), allKinds.slice(8))

    world.stand.roles.push('AppRoleAssignment.ReadWrite.All')
    const again = await world.apply(sampleFile())
    assert.deepEqual(kinds(again.done), allKinds.slice(7))
  })

  it("says a refusal in Graph's own words, with the id of the request", async () => {
    const world = new World()
    const file = sampleFile()
    const apis = [{ ...file.apis[0], identifierUris: ['https://orders.example/api'] }]
    const { stopped } = await world.apply({ ...file, apis })
    assert.ok(stopped?.error instanceof GraphRefusalError)
    assert.match(
      stopped.error.message,
      /^PATCH \/applications\/[^ ]+ was refused with HTTP status 400/,
    )
    assert.equal(stopped.error.graphCode, 'HostNameNotOnVerifiedDomain')
    assert.equal(stopped.error.requestId, 'request-of-the-test')
  })

  it('stops waiting for a change that never becomes visible', async () => {
    const world = new World()
    world.stand.directory.lag = 1_000
    const { stopped } = await world.apply(sampleFile())
    assert.equal(stopped?.change.kind, 'updateApplication')
    const waitedMs = world.slept.reduce((sum, one) => sum + one, 0)
    assert.ok(waitedMs > 100_000 && waitedMs < 120_000, `${waitedMs} ms`)
  })

  it('removes and renames roles only after it has disabled them', async () => {
    const world = await appliedWorld()
    const file = sampleFile()
    const [hello] = file.apis[0]?.appRoles.slice(1) ?? []
    const { stopped } = await world.apply({
      apis: [{ displayName: 'Greeting API', appRoles: [{ ...hello, value: 'SayHello' }] }],
    })
    assert.equal(stopped, undefined)
    const [api = {}] = world.stand.directory.applications.values()
    assert.deepEqual(
      (api.appRoles as { value: string }[]).map(({ value }) => value),
      ['SayHello'],
    )
  })

  it('never includes a secret in an error or a report', async () => {
    const world = new World()
    world.stand.faults.push({
      line: /addPassword/,
      status: 200,
      times: 1,
      body: { secretText: 'canary~secret' },
    })
    const told = inspect(await world.apply(sampleFile()), { depth: 10 })
    assert.match(told, /has an unexpected form: keyId, endDateTime/)
    assert.doesNotMatch(told, /canary/)
    assert.doesNotMatch(told, new RegExp(administrator.CLIENT_SECRET))
  })
})

describe('the life of a registration', () => {
  it('removes and grants admin consent again', async () => {
    const world = await appliedWorld()
    world.stand.directory.assignments.clear()
    const { ifLeft } = await world.plan(sampleFile())
    assert.deepEqual(ifLeft, [
      '"Greeting client" gets a token for "Greeting API" without CallHiApiRole: it is requested, without admin consent.',
      '"Greeting client" gets a token for "Greeting API" without CallHelloApiRole: it is requested, without admin consent.',
    ])
    const { done } = await world.apply(sampleFile())
    assert.deepEqual(kinds(done), ['grantConsent', 'grantConsent'])
    assert.equal(world.stand.directory.assignments.size, 2)
  })

  it('is a secret that overlaps with the next one, and then goes', async () => {
    const world = await appliedWorld()
    world.nowMs += 151 * 86_400_000
    assert.deepEqual(kinds((await world.apply(sampleFile())).done), ['rotateSecret'])
    assert.deepEqual((await world.apply(sampleFile())).done, [])
    world.nowMs += 30 * 86_400_000
    assert.deepEqual(kinds((await world.apply(sampleFile())).done), ['removeSecret'])
    assert.equal(world.secrets.length, 2)
  })

  it('is an end, by name', async () => {
    const world = await appliedWorld()
    const { done } = await world.apply({ removed: ['Greeting client', 'Greeting API'] })
    assert.deepEqual(kinds(done), ['deleteApplication', 'deleteApplication'])
    assert.equal(world.stand.directory.applications.size, 0)
    assert.deepEqual(
      (await world.plan({ removed: ['Greeting client', 'Greeting API'] })).changes,
      [],
    )
  })
})
