import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GraphFixture } from '../../../../test/fixtures/graph/graph-fixture.ts'
import { readExplained, readWholeDirectory } from '../../src/apply/index.ts'
import { exportRegistrations } from '../../src/planning/index.ts'
import { agentMembers, sampleBlueprint } from '../agent-samples.ts'
import { sampleFile } from '../samples.ts'

const federated = { displayName: 'cluster', issuer: 'https://issuer.example', subject: 'agents' }
const { agents } = sampleBlueprint()
const [first, second] = agents

/** A file with a blueprint: some of its members, and consents of it and of an agent. */
const fileWith = (members: object = {}) => {
  const { consents } = agentMembers()
  const more = { secrets: [{ displayName: 'primary' }], federatedCredentials: [federated] }
  return { ...sampleFile(), blueprints: [{ ...sampleBlueprint(), ...more, ...members }], consents }
}

/** Applies a file, and returns the kinds of its changes. */
async function apply(fixture: GraphFixture, file: object = fileWith()): Promise<string[]> {
  const { done, stopped } = await fixture.apply(file)
  assert.equal(stopped?.error, undefined)
  return done.map(({ kind }) => kind)
}

async function appliedFixture(options = {}): Promise<GraphFixture> {
  const fixture = await GraphFixture.start(options)
  await apply(fixture)
  return fixture
}

const typed = 'microsoft.graph.agentIdentity'

/** The agents of the tenant, the blueprint, and its inheritable permissions. */
async function found({ tenant }: GraphFixture) {
  type Page = { value: Record<string, unknown>[] }
  const { value } = await tenant.send<Page>('GET', `/servicePrincipals/${typed}`)
  const all = await tenant.applications()
  const blueprint = all.find(({ displayName }) => displayName === 'Helper blueprint')
  const inheritable = `/applications/${typed}Blueprint/${blueprint?.id}/inheritablePermissions`
  const { value: inherited } = await tenant.send<Page>('GET', inheritable)
  return { agents: value, blueprint, inheritable, inherited }
}

const namesOf = (all: readonly Record<string, unknown>[]) =>
  all.map(({ displayName }) => String(displayName)).toSorted()

describe('applying a file with agents', () => {
  it('creates a blueprint and then its agents, and changes nothing the second time', async () => {
    const fixture = await GraphFixture.start()
    const kinds = await apply(fixture)
    assert.deepEqual(kinds.slice(-12), [
      'createApplication',
      'createServicePrincipal',
      'createAgent',
      'createAgent',
      'setPermissions',
      'setPermissions',
      'setInheritance',
      'grantConsent',
      'grantConsent',
      'createSecret',
      'createSecret',
      'setFederatedCredentials',
    ])
    const { agents, blueprint, inherited } = await found(fixture)
    assert.deepEqual(namesOf(agents), ['Agent 1', 'Agent 2'])
    for (const one of agents) assert.equal(one.agentIdentityBlueprintId, blueprint?.appId)
    assert.equal(inherited.length, 1)
    assert.deepEqual(await apply(fixture), [])
  })

  it("explains the agents' tokens by their roles", async () => {
    const fixture = await appliedFixture()
    const agent = (await found(fixture)).agents.find((one) => one.displayName === 'Agent 1')
    const asked = { clientId: String(agent?.id), apiIds: [], now: fixture.now() }
    const { TENANT_ID } = fixture.tenant.administrator
    const { assignments } = await readExplained(fixture.graph, TENANT_ID, asked)
    assert.equal(assignments.filter(({ principalId }) => principalId === agent?.id).length, 1)
  })

  for (const visibilityDelaySeconds of [1, 3]) {
    it(`waits for blueprints and agents that become visible after ${visibilityDelaySeconds} s`, async () => {
      const fixture = await appliedFixture({ visibilityDelaySeconds })
      fixture.advance(5000)
      assert.equal((await found(fixture)).agents.length, 2)
      assert.deepEqual(await apply(fixture), [])
    })
  }

  it("uses the blueprint's existing agents, and no other agents with their names", async () => {
    const fixture = await appliedFixture()
    const before = await found(fixture)
    const other = { displayName: 'Other blueprint', agents: [{ displayName: 'Agent 1' }] }
    const sponsors = sampleBlueprint().sponsors
    await apply(fixture, { blueprints: [{ ...other, sponsors }] })
    const created = { displayName: 'Agent 3', agentIdentityBlueprintId: before.blueprint?.appId }
    const sponsor = `https://graph.microsoft.com/v1.0/users/${sponsors[0]}`
    await fixture.tenant.send('POST', `/servicePrincipals/${typed}`, {
      ...created,
      'sponsors@odata.bind': [sponsor],
    })
    const file = fileWith({ agents: [...agents, { displayName: 'Agent 3' }] })
    assert.deepEqual(await apply(fixture, file), [])
  })

  it('finds an agent that was created although the response was lost', async () => {
    const fixture = await GraphFixture.start()
    const line = new RegExp(`^POST /servicePrincipals/${typed}$`)
    fixture.tenant.faults.push({ line, status: 0, times: 2, afterwards: true })
    const { stopped } = await fixture.apply(fileWith())
    assert.equal(stopped?.change.kind, 'createAgent')
    await apply(fixture)
    assert.equal((await found(fixture)).agents.length, 2)
  })

  it('gives a blueprint new secrets if the response to its creation was lost', async () => {
    const fixture = await GraphFixture.start()
    const line = new RegExp(`^POST /applications/${typed}Blueprint$`)
    fixture.tenant.faults.push({ line, status: 0, times: 1, afterwards: true })
    await apply(fixture)
    const { agents, blueprint } = await found(fixture)
    assert.equal(agents.length, 2)
    const kept = fixture.secrets.find(({ client }) => client === 'Helper blueprint')
    const { passwordCredentials } = blueprint as { passwordCredentials?: { keyId: string }[] }
    assert.deepEqual(
      passwordCredentials?.map(({ keyId }) => keyId),
      [kept?.keyId],
    )
    assert.deepEqual(await apply(fixture), [])
  })

  it('renames an agent with an ID, and deletes an agent that the file omits', async () => {
    const fixture = await appliedFixture()
    const before = await found(fixture)
    const ids = new Map(before.agents.map(({ displayName, id }) => [displayName, id]))
    const renamed = { ...second, displayName: 'New name', applicationId: ids.get('Agent 2') }
    const kinds = await apply(fixture, fileWith({ agents: [first, renamed] }))
    assert.deepEqual(kinds, ['updateServicePrincipal'])
    assert.deepEqual(namesOf((await found(fixture)).agents), ['Agent 1', 'New name'])
    assert.deepEqual(await apply(fixture, fileWith({ agents: [first] })), ['deleteAgent'])
    const { value } = await fixture.tenant.send<{ value: { id: string }[] }>(
      'GET',
      '/directory/deletedItems/microsoft.graph.servicePrincipal',
    )
    assert.deepEqual(
      value.map(({ id }) => id),
      [ids.get('Agent 2')],
    )
  })

  it('reports an agent as deleted if another process deleted it', async () => {
    const fixture = await appliedFixture()
    const plan = await fixture.plan(fileWith({ agents: [first] }))
    for (const { displayName, id } of (await found(fixture)).agents)
      if (displayName === 'Agent 2') await fixture.tenant.send('DELETE', `/servicePrincipals/${id}`)
    const { done, stopped } = await fixture.carryOut(plan)
    assert.deepEqual([done.length, stopped, fixture.slept], [1, undefined, []])
  })

  const drifts = [
    ['is removed', 'DELETE', undefined],
    ['has no roles left', 'PATCH', { inheritableRoles: { kind: 'none' } }],
  ] as const
  for (const [what, method, body] of drifts) {
    it(`repairs an inheritable permission that ${what}`, async () => {
      const fixture = await appliedFixture()
      const { inheritable, inherited } = await found(fixture)
      await fixture.tenant.send(method, `${inheritable}/${inherited[0]?.resourceAppId}`, body)
      assert.deepEqual(await apply(fixture), ['setInheritance'])
      assert.deepEqual((await found(fixture)).inherited[0]?.inheritableRoles, {
        '@odata.type': '#microsoft.graph.allAllowedRoles',
        kind: 'allAllowed',
      })
    })
  }

  it('removes an inheritance even from an API that is not in the file, and keeps its scopes', async () => {
    const fixture = await appliedFixture()
    const { inheritable, inherited } = await found(fixture)
    const graphId = '00000003-0000-0000-c000-000000000000'
    const all = {
      inheritableScopes: { kind: 'allAllowed' },
      inheritableRoles: { kind: 'allAllowed' },
    }
    await fixture.tenant.send('POST', inheritable, { resourceAppId: graphId, ...all })
    const kinds = await apply(fixture, fileWith({ inherit: [] }))
    assert.deepEqual(kinds, ['setInheritance', 'setInheritance'])
    const after = (await found(fixture)).inherited as Record<string, { kind: string }>[]
    assert.deepEqual(
      after.map((one) => `${one.inheritableRoles?.kind} ${one.inheritableScopes?.kind}`).toSorted(),
      ['none allAllowed', 'none none'],
    )
    assert.equal(inherited.length, 1)
  })

  it('replaces a federated credential that has another subject', async () => {
    const fixture = await appliedFixture()
    const changed = fileWith({ federatedCredentials: [{ ...federated, subject: 'others' }] })
    assert.deepEqual(await apply(fixture, changed), ['setFederatedCredentials'])
    assert.deepEqual(await apply(fixture, changed), [])
  })

  it('exports the directory, even for another tenant', async () => {
    const fixture = await appliedFixture()
    const exported = async (portable: boolean) => {
      const { TENANT_ID } = fixture.tenant.administrator
      const state = await readWholeDirectory(fixture.graph, TENANT_ID)
      const names = ['Greeting API', 'Greeting client', 'Helper blueprint']
      return exportRegistrations(state, { names, portable })
    }
    const { file, notes } = await exported(false)
    assert.deepEqual(notes, [])
    assert.deepEqual(await apply(fixture, file), [])
    const other = await GraphFixture.start()
    const portable = await exported(true)
    await apply(other, portable.file)
    assert.deepEqual(namesOf((await found(other)).agents), ['Agent 1', 'Agent 2'])
    assert.deepEqual(await apply(other, portable.file), [])
  })

  it('creates nothing for a blueprint without sponsors in the file and in the directory', async () => {
    const fixture = await GraphFixture.start()
    const { changes, faults } = await fixture.plan(fileWith({ sponsors: undefined }))
    assert.deepEqual(changes, [])
    assert.match(String(faults), /^"Helper blueprint" has no sponsor, [^"]* set its "sponsors"\.$/)
  })

  it('gives a new agent the sponsors of its blueprint', async () => {
    const fixture = await appliedFixture()
    const more = [...agents, { displayName: 'Agent 3' }]
    const file = fileWith({ sponsors: undefined, agents: more })
    assert.deepEqual(await apply(fixture, file), ['createAgent'])
  })

  it('needs only a few requests for many agents, even if the file does not list them', async () => {
    const fixture = await GraphFixture.start()
    const many = Array.from({ length: 120 }, (_, index) => ({ displayName: `Agent ${index}` }))
    const file = fileWith({ agents: [...agents, ...many.slice(3)] })
    await apply(fixture, file)
    const { tenant } = fixture
    assert.ok(tenant.batches.length < 40, `${tenant.batches.length} batches of changes`)
    const rows = [
      [file, 0],
      [fileWith(), 117],
      [{ blueprints: [{ displayName: 'Helper blueprint' }] }, 0],
    ] as const
    for (const [one, deleted] of rows) {
      tenant.lines.length = 0
      const { changes } = await fixture.plan(one)
      assert.equal(changes.filter(({ kind }) => kind === 'deleteAgent').length, deleted)
      assert.ok(tenant.lines.length < 20, tenant.lines.join('\n'))
    }
  })
})
