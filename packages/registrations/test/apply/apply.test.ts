import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GraphFixture } from '../../../../fixtures/graph/graph-fixture.ts'
import { GraphRefusalError } from '../../src/apply/index.ts'
import { sampleFile } from '../samples.ts'

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

async function appliedWorld(): Promise<GraphFixture> {
  const fixture = new GraphFixture()
  const { stopped } = await fixture.apply(sampleFile())
  assert.equal(stopped, undefined)
  return fixture
}

const requestedApis = (client?: Readonly<Record<string, unknown>>) =>
  (client?.requiredResourceAccess as { resourceAppId: string }[] | undefined)?.map(
    ({ resourceAppId }) => resourceAppId,
  )

describe('applying a file', () => {
  it('makes the six steps in an empty directory, in the order of their dependencies', async () => {
    const fixture = new GraphFixture()
    const { done, left, stopped } = await fixture.apply(sampleFile())
    assert.deepEqual([kinds(done), left, stopped], [allKinds, [], undefined])
    const [api, client] = fixture.fake.directory.applications.values()
    assert.deepEqual(api?.identifierUris, [`api://${api?.appId}`])
    assert.equal(fixture.fake.directory.assignments.size, 2)
    const [secret] = fixture.secrets
    assert.equal(fixture.secrets.length, 1)
    assert.match(secret?.secretText ?? '', /^secret~/)
    assert.equal(secret?.clientId, client?.appId)
    assert.deepEqual(secret?.apiApplicationIds, [api?.appId])
    assert.equal(secret?.endDateTime.toISOString(), '2026-08-28T12:00:00.000Z')
  })

  it('requests permissions in the request that creates the client', async () => {
    const { fake } = await appliedWorld()
    const [api, client] = fake.directory.applications.values()
    assert.deepEqual(requestedApis(client), [api?.appId])
    assert.ok(!fake.lines.includes(`PATCH /applications/${client?.id}`))
  })

  it('requests permissions later when their API is created after the client', async () => {
    const role = { value: 'Read', displayName: 'Read', description: 'Reads.' }
    const fixture = new GraphFixture()
    const { stopped } = await fixture.apply({
      apis: ['First', 'Second'].map((displayName) => ({ displayName, appRoles: [role] })),
      clients: [{ displayName: 'First', permissions: [{ api: 'Second', roles: ['Read'] }] }],
    })
    assert.equal(stopped, undefined)
    const [first, second] = fixture.fake.directory.applications.values()
    assert.deepEqual(requestedApis(first), [second?.appId])
  })

  it('changes nothing the second time, and sends no writing request', async () => {
    const fixture = await appliedWorld()
    fixture.fake.lines.length = 0
    const { done } = await fixture.apply(sampleFile())
    assert.deepEqual(done, [])
    assert.deepEqual(
      fixture.fake.lines.filter((line) => !line.startsWith('GET ')),
      [],
    )
  })

  for (const lag of [1, 3]) {
    it(`waits for objects that only the read with number ${lag + 1} finds`, async () => {
      const fixture = new GraphFixture()
      fixture.fake.directory.lag = lag
      const { stopped } = await fixture.apply(sampleFile())
      assert.equal(stopped, undefined)
      assert.equal(fixture.fake.directory.applications.size, 2)
      assert.equal(fixture.fake.directory.assignments.size, 2)
      const reasons = new Set(fixture.waits)
      assert.deepEqual([...reasons].sort(), ['not found yet', 'not yet available for references'])
    })
  }

  it('counts a removal by another process as done, without waiting', async () => {
    const fixture = await appliedWorld()
    const plan = await fixture.plan({ removed: ['Greeting client'] })
    fixture.fake.directory.applications.clear()
    const { done, stopped } = await fixture.carryOut(plan)
    assert.deepEqual([kinds(done), stopped], [['deleteApplication'], undefined])
    assert.deepEqual(fixture.slept, [])
  })

  it('overwrites no change of another process since the plan', async () => {
    const fixture = await appliedWorld()
    const [api = {}] = fixture.fake.directory.applications.values()
    api['@odata.etag'] = 'W/"7"'
    api.displayName = 'Old name'
    const apis = [{ ...sampleFile().apis[0], applicationId: String(api.appId) }]
    const plan = await fixture.plan({ apis })
    Object.assign(api, { '@odata.etag': 'W/"8"', displayName: 'Name from another process' })
    const { stopped } = await fixture.carryOut(plan)
    assert.ok(stopped?.error instanceof GraphRefusalError && stopped.error.status === 412)
    assert.equal(api.displayName, 'Name from another process')
    assert.deepEqual(kinds((await fixture.apply({ apis })).done), ['updateApplication'])
  })

  it('obeys Retry-After for every request when it is throttled', async () => {
    const fixture = new GraphFixture()
    const throttled = { status: 429, headers: { 'retry-after': '7' } }
    fixture.fake.faults.push({ line: /^POST \/applications$/, times: 2, ...throttled })
    fixture.fake.faults.push({ line: /^POST \/servicePrincipals$/, times: 1, ...throttled })
    const { stopped } = await fixture.apply(sampleFile())
    assert.equal(stopped, undefined)
    assert.deepEqual(fixture.slept, [7000, 7000, 7000])
    assert.equal(fixture.fake.directory.applications.size, 2)
  })

  it('follows the pages of every list', async () => {
    const fixture = await appliedWorld()
    for (let count = 0; count < 5; count += 1)
      fixture.fake.directory.createApplication({ displayName: 'Greeting API' })
    const { faults } = await fixture.plan(sampleFile())
    assert.match(faults[0] ?? '', /^6 applications match "Greeting API"/)
  })

  const lostAnswers: [string, RegExp][] = [
    ['an application', /^POST \/applications$/],
    ['a service principal', /^POST \/servicePrincipals$/],
    ['an assignment', /^POST .*appRoleAssignedTo$/],
    ['a change', /^PATCH \/applications/],
  ]
  for (const [what, line] of lostAnswers) {
    for (const status of [0, 503]) {
      it(`treats ${what} as created when only the answer was lost (${status || 'connection cut'})`, async () => {
        const fixture = new GraphFixture()
        fixture.fake.faults.push({ line, status, times: 1, afterwards: true })
        const { stopped } = await fixture.apply(sampleFile())
        assert.equal(stopped, undefined)
        assert.equal(fixture.fake.directory.applications.size, 2)
        assert.equal(fixture.fake.directory.servicePrincipals.size, 2)
        assert.equal(fixture.fake.directory.assignments.size, 2)
      })
    }
  }

  it('changes nothing when secrets cannot be stored', async () => {
    const fixture = new GraphFixture()
    fixture.sink = {
      prepare: async () => {
        throw new Error('the folder is read-only')
      },
      keep: async () => undefined,
    }
    await assert.rejects(fixture.apply(sampleFile()), /read-only/)
    assert.deepEqual(
      fixture.fake.lines.filter((line) => !line.startsWith('GET ')),
      [],
    )
  })

  it('stops at the first refusal, reports the completed changes, and continues there in the next run', async () => {
    const fixture = new GraphFixture()
    fixture.fake.roles = ['Application.ReadWrite.All']
    const { done, stopped, left } = await fixture.apply(sampleFile())
    // The request for the client contained its secret.
    assert.deepEqual(kinds(done), [...allKinds.slice(0, 7), 'createSecret'])
    assert.equal(stopped?.change.kind, 'grantConsent')
    assert.ok(stopped?.error instanceof Error && 'code' in stopped.error)
    assert.equal(stopped.error.code, 'role_missing')
    assert.match(stopped.error.message, /AppRoleAssignment\.ReadWrite\.All/)
    assert.deepEqual(kinds(left), ['grantConsent'])

    fixture.fake.roles.push('AppRoleAssignment.ReadWrite.All')
    const again = await fixture.apply(sampleFile())
    assert.deepEqual(kinds(again.done), ['grantConsent', 'grantConsent'])
  })

  it("reports a refusal with Graph's message and the ID of the request", async () => {
    const fixture = new GraphFixture()
    const file = sampleFile()
    const apis = [{ ...file.apis[0], identifierUris: ['https://orders.example/api'] }]
    const { stopped } = await fixture.apply({ ...file, apis })
    assert.ok(stopped?.error instanceof GraphRefusalError)
    assert.match(
      stopped.error.message,
      /^PATCH \/applications\/[^ ]+ was refused with HTTP status 400/,
    )
    assert.equal(stopped.error.graphCode, 'HostNameNotOnVerifiedDomain')
    assert.equal(stopped.error.requestId, 'request-of-the-test')
  })

  it('stops waiting for a change that never becomes visible', async () => {
    const fixture = new GraphFixture()
    fixture.fake.directory.lag = 1_000
    const { stopped } = await fixture.apply(sampleFile())
    assert.equal(stopped?.change.kind, 'updateApplication')
    const waitedMs = fixture.slept.reduce((sum, one) => sum + one, 0)
    assert.ok(waitedMs > 100_000 && waitedMs < 120_000, `${waitedMs} ms`)
  })

  it('removes and renames roles only after it has disabled them', async () => {
    const fixture = await appliedWorld()
    const file = sampleFile()
    const [hello] = file.apis[0]?.appRoles.slice(1) ?? []
    const { stopped } = await fixture.apply({
      apis: [{ displayName: 'Greeting API', appRoles: [{ ...hello, value: 'SayHello' }] }],
    })
    assert.equal(stopped, undefined)
    const [api = {}] = fixture.fake.directory.applications.values()
    assert.deepEqual(
      (api.appRoles as { value: string }[]).map(({ value }) => value),
      ['SayHello'],
    )
  })
})

describe('the life of a registration', () => {
  it('removes and grants admin consent again', async () => {
    const fixture = await appliedWorld()
    fixture.fake.directory.assignments.clear()
    const { ifLeft } = await fixture.plan(sampleFile())
    assert.deepEqual(ifLeft, [
      '"Greeting client" gets a token for "Greeting API" without CallHiApiRole: it is requested, without admin consent.',
      '"Greeting client" gets a token for "Greeting API" without CallHelloApiRole: it is requested, without admin consent.',
    ])
    const { done } = await fixture.apply(sampleFile())
    assert.deepEqual(kinds(done), ['grantConsent', 'grantConsent'])
    assert.equal(fixture.fake.directory.assignments.size, 2)
  })

  it('has secrets that overlap during a rotation', async () => {
    const fixture = await appliedWorld()
    fixture.nowMs += 151 * 86_400_000
    assert.deepEqual(kinds((await fixture.apply(sampleFile())).done), ['rotateSecret'])
    assert.deepEqual((await fixture.apply(sampleFile())).done, [])
    fixture.nowMs += 30 * 86_400_000
    assert.deepEqual(kinds((await fixture.apply(sampleFile())).done), ['removeSecret'])
    assert.equal(fixture.secrets.length, 2)
  })

  it('ends with a removal by name', async () => {
    const fixture = await appliedWorld()
    const { done } = await fixture.apply({ removed: ['Greeting client', 'Greeting API'] })
    assert.deepEqual(kinds(done), ['deleteApplication', 'deleteApplication'])
    assert.equal(fixture.fake.directory.applications.size, 0)
    assert.deepEqual(
      (await fixture.plan({ removed: ['Greeting client', 'Greeting API'] })).changes,
      [],
    )
  })
})
