import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GraphFixture } from '../../../../test/fixtures/graph/graph-fixture.ts'
import { roleMissing } from '../../../../test/fixtures/graph/graph-tenant.ts'
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

async function appliedFixture(): Promise<GraphFixture> {
  const fixture = await GraphFixture.start()
  const { stopped } = await fixture.apply(sampleFile())
  assert.equal(stopped, undefined)
  return fixture
}

const requestedApis = (client?: Readonly<Record<string, unknown>>) =>
  (client?.requiredResourceAccess as { resourceAppId: string }[] | undefined)?.map(
    ({ resourceAppId }) => resourceAppId,
  )

describe('applying a file', () => {
  it('performs the six steps in an empty directory, in the order of their dependencies', async () => {
    const fixture = await GraphFixture.start()
    const { done, left, stopped } = await fixture.apply(sampleFile())
    assert.deepEqual([kinds(done), left, stopped], [allKinds, [], undefined])
    const [api, client] = await fixture.tenant.applications()
    assert.deepEqual(api?.identifierUris, [`api://${api?.appId}`])
    assert.equal((await fixture.tenant.assignments()).length, 2)
    const [secret] = fixture.secrets
    assert.equal(fixture.secrets.length, 1)
    assert.match(secret?.secretText ?? '', /^.{40,}$/)
    assert.equal(secret?.clientId, client?.appId)
    assert.deepEqual(secret?.apiApplicationIds, [api?.appId])
    assert.equal(secret?.endDateTime.toISOString(), '2026-08-28T12:00:00.000Z')
  })

  it('requests permissions in the same request that creates the client', async () => {
    const { tenant } = await appliedFixture()
    const [api, client] = await tenant.applications()
    assert.deepEqual(requestedApis(client), [api?.appId])
    assert.ok(!tenant.lines.includes(`PATCH /applications/${client?.id}`))
  })

  it('requests permissions later if their API is created after the client', async () => {
    const role = { value: 'Read', displayName: 'Read', description: 'Reads.' }
    const fixture = await GraphFixture.start()
    const { stopped } = await fixture.apply({
      apis: ['First', 'Second'].map((displayName) => ({ displayName, appRoles: [role] })),
      clients: [{ displayName: 'First', permissions: [{ api: 'Second', roles: ['Read'] }] }],
    })
    assert.equal(stopped, undefined)
    const [first, second] = await fixture.tenant.applications()
    assert.deepEqual(requestedApis(first), [second?.appId])
  })

  it('changes nothing the second time, and only sends reading requests', async () => {
    const fixture = await appliedFixture()
    fixture.tenant.lines.length = 0
    const { done } = await fixture.apply(sampleFile())
    assert.deepEqual(done, [])
    assert.deepEqual(
      fixture.tenant.lines.filter((line) => !line.startsWith('GET ')),
      [],
    )
  })

  for (const visibilityDelaySeconds of [1, 3]) {
    it(`waits for objects that become visible after ${visibilityDelaySeconds} s`, async () => {
      const fixture = await GraphFixture.start({ visibilityDelaySeconds })
      const { stopped } = await fixture.apply(sampleFile())
      assert.equal(stopped, undefined)
      fixture.advance(5000)
      assert.equal((await fixture.tenant.applications()).length, 2)
      assert.equal((await fixture.tenant.assignments()).length, 2)
      const reasons = new Set(fixture.waits)
      assert.deepEqual([...reasons].sort(), ['not found yet', 'not yet available for references'])
    })
  }

  it('reports an object as removed if another process removed it, without waiting', async () => {
    const fixture = await appliedFixture()
    const plan = await fixture.plan({ removed: ['Greeting client'] })
    for (const { id } of await fixture.tenant.applications())
      await fixture.tenant.send('DELETE', `/applications/${id}`)
    const { done, stopped } = await fixture.carryOut(plan)
    assert.deepEqual([kinds(done), stopped], [['deleteApplication'], undefined])
    assert.deepEqual(fixture.slept, [])
  })

  it("does not overwrite another process's change since the plan", async () => {
    const fixture = await appliedFixture()
    const [api = {}] = await fixture.tenant.applications()
    const rename = (displayName: string) =>
      fixture.tenant.send('PATCH', `/applications/${api.id}`, { displayName })
    await rename('Old name')
    const apis = [{ ...sampleFile().apis[0], applicationId: String(api.appId) }]
    const plan = await fixture.plan({ apis })
    await rename('Name from another process')
    const { stopped } = await fixture.carryOut(plan)
    assert.ok(stopped?.error instanceof GraphRefusalError && stopped.error.status === 412)
    const { displayName } = await fixture.tenant.send('GET', `/applications/${api.id}`)
    assert.equal(displayName, 'Name from another process')
    assert.deepEqual(kinds((await fixture.apply({ apis })).done), ['updateApplication'])
  })

  it('obeys Retry-After for every request if it is throttled', async () => {
    const fixture = await GraphFixture.start()
    const throttled = { status: 429, headers: { 'retry-after': '7' } }
    fixture.tenant.faults.push({ line: /^POST \/applications$/, times: 2, ...throttled })
    fixture.tenant.faults.push({ line: /^POST \/servicePrincipals$/, times: 1, ...throttled })
    const { stopped } = await fixture.apply(sampleFile())
    assert.equal(stopped, undefined)
    assert.deepEqual(fixture.slept, [7000, 7000, 7000])
    assert.equal((await fixture.tenant.applications()).length, 2)
  })

  it('follows the pages of every list', async () => {
    const fixture = await appliedFixture()
    fixture.tenant.pageSize = 2
    for (let count = 0; count < 5; count += 1)
      await fixture.tenant.send('POST', '/applications', { displayName: 'Greeting API' })
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
      it(`treats ${what} as created if only the response was lost (${status || 'connection cut'})`, async () => {
        const fixture = await GraphFixture.start()
        fixture.tenant.faults.push({ line, status, times: 1, afterwards: true })
        const { stopped } = await fixture.apply(sampleFile())
        assert.equal(stopped, undefined)
        assert.equal((await fixture.tenant.applications()).length, 2)
        assert.equal((await fixture.tenant.servicePrincipals()).length, 2)
        assert.equal((await fixture.tenant.assignments()).length, 2)
      })
    }
  }

  it('changes nothing if secrets cannot be stored', async () => {
    const fixture = await GraphFixture.start()
    fixture.sink = {
      prepare: async () => {
        throw new Error('the folder is read-only')
      },
      keep: async () => undefined,
    }
    await assert.rejects(fixture.apply(sampleFile()), /read-only/)
    assert.deepEqual(
      fixture.tenant.lines.filter((line) => !line.startsWith('GET ')),
      [],
    )
  })

  it('stops at the first refusal, reports the completed changes, and continues there in the next run', async () => {
    const fixture = await GraphFixture.start()
    fixture.tenant.faults.push({ line: /^POST .*appRoleAssign/, times: 2, ...roleMissing })
    const { done, stopped, left } = await fixture.apply(sampleFile())
    // The request for the client contained its secret.
    assert.deepEqual(kinds(done), [...allKinds.slice(0, 7), 'createSecret'])
    assert.equal(stopped?.change.kind, 'grantConsent')
    assert.ok(stopped?.error instanceof Error && 'code' in stopped.error)
    assert.equal(stopped.error.code, 'role_missing')
    assert.match(stopped.error.message, /AppRoleAssignment\.ReadWrite\.All/)
    assert.deepEqual(kinds(left), ['grantConsent'])

    fixture.tenant.faults.length = 0
    const again = await fixture.apply(sampleFile())
    assert.deepEqual(kinds(again.done), ['grantConsent', 'grantConsent'])
  })

  it("reports a refusal with Graph's message and the request ID", async () => {
    const fixture = await GraphFixture.start()
    const file = sampleFile()
    const apis = [{ ...file.apis[0], identifierUris: ['https://orders.example/api'] }]
    const { stopped } = await fixture.apply({ ...file, apis })
    assert.ok(stopped?.error instanceof GraphRefusalError)
    assert.match(
      stopped.error.message,
      /^PATCH \/applications\/[^ ]+ was refused with HTTP status 400/,
    )
    assert.equal(stopped.error.graphCode, 'InvalidUniqueTenantIdentifierAsPerAppPolicy')
    assert.match(stopped.error.requestId ?? '', /^[0-9a-f-]{36}$/)
  })

  it("reports a policy's refusal with its code and message", async () => {
    const fixture = await GraphFixture.start()
    const longest = { restrictionType: 'passwordLifetime', maxLifetime: 'P30D' }
    await fixture.tenant.send('PATCH', '/policies/defaultAppManagementPolicy', {
      applicationRestrictions: { passwordCredentials: [longest] },
    })
    const { stopped } = await fixture.apply(sampleFile())
    assert.match(
      String(stopped?.error),
      /CredentialInvalidLifetimeAsPerAppPolicy: Credential lifetime exceeds the max value/,
    )
  })

  it('stops waiting for a change that never becomes visible', async () => {
    const fixture = await GraphFixture.start({ visibilityDelaySeconds: 3600 })
    const { stopped } = await fixture.apply(sampleFile())
    assert.equal(stopped?.change.kind, 'updateApplication')
    const waitedMs = fixture.slept.reduce((sum, one) => sum + one, 0)
    assert.ok(waitedMs > 100_000 && waitedMs < 120_000, `${waitedMs} ms`)
  })

  it('disables roles before it removes or renames them', async () => {
    const fixture = await appliedFixture()
    const file = sampleFile()
    const [hello] = file.apis[0]?.appRoles.slice(1) ?? []
    const { stopped } = await fixture.apply({
      apis: [{ displayName: 'Greeting API', appRoles: [{ ...hello, value: 'SayHello' }] }],
    })
    assert.equal(stopped, undefined)
    const [api = {}] = await fixture.tenant.applications()
    assert.deepEqual(
      (api.appRoles as { value: string }[]).map(({ value }) => value),
      ['SayHello'],
    )
  })
})

describe('a registration', () => {
  it('removes and grants admin consent again', async () => {
    const fixture = await appliedFixture()
    await fixture.tenant.removeAssignments()
    const { ifLeft } = await fixture.plan(sampleFile())
    assert.deepEqual(ifLeft, [
      '"Greeting client" gets a token for "Greeting API" without CallHiApiRole: it is requested, without admin consent.',
      '"Greeting client" gets a token for "Greeting API" without CallHelloApiRole: it is requested, without admin consent.',
    ])
    const { done } = await fixture.apply(sampleFile())
    assert.deepEqual(kinds(done), ['grantConsent', 'grantConsent'])
    assert.equal((await fixture.tenant.assignments()).length, 2)
  })

  it('has overlapping secrets during a rotation', async () => {
    const fixture = await appliedFixture()
    fixture.advance(151 * 86_400_000)
    assert.deepEqual(kinds((await fixture.apply(sampleFile())).done), ['rotateSecret'])
    assert.deepEqual((await fixture.apply(sampleFile())).done, [])
    fixture.advance(30 * 86_400_000)
    assert.deepEqual(kinds((await fixture.apply(sampleFile())).done), ['removeSecret'])
    assert.equal(fixture.secrets.length, 2)
  })

  it('ends when it is removed by name', async () => {
    const fixture = await appliedFixture()
    const { done } = await fixture.apply({ removed: ['Greeting client', 'Greeting API'] })
    assert.deepEqual(kinds(done), ['deleteApplication', 'deleteApplication'])
    assert.equal((await fixture.tenant.applications()).length, 0)
    assert.deepEqual(
      (await fixture.plan({ removed: ['Greeting client', 'Greeting API'] })).changes,
      [],
    )
  })
})
