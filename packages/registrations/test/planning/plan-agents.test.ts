import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseRegistrations } from '@greeting/registrations'
import { sampleBlueprint, sampleFile } from '@greeting/registrations/samples'
import { application, servicePrincipal } from '../../src/directory/directory-state.ts'
import { exportRegistrations } from '../../src/planning/export.ts'
import { planRegistrations } from '../../src/planning/plan.ts'
import { type Difference, describeDifferences, type Sample, set } from './difference.ts'
import { confirmedIn, ids, now, sampleAssignments, sampleState } from './sample-state.ts'

const guid = (tail: string) => `00000000-0000-4000-8000-${tail.padStart(12, '0')}`
const of = {
  blueprintObject: guid('b1'),
  blueprint: guid('b2'),
  blueprintPrincipal: guid('b3'),
  first: guid('e1'),
  second: guid('e2'),
}
const cluster = { name: 'cluster', issuer: 'https://issuer.example', subject: 'agents' }
const audience = 'api://AzureADTokenExchange'
const inherited = {
  resourceAppId: ids.api,
  inheritableRoles: { kind: 'allAllowed' },
}

const blueprint = application.parse({
  '@odata.type': '#microsoft.graph.agentIdentityBlueprint',
  id: of.blueprintObject,
  appId: of.blueprint,
  displayName: 'Helper blueprint',
  requiredResourceAccess: [
    { resourceAppId: ids.api, resourceAccess: [{ id: ids.hello, type: 'Role' }] },
  ],
  federatedIdentityCredentials: [{ id: 'f', ...cluster, audiences: [audience] }],
  inheritablePermissions: [inherited],
  sponsors: [{ id: sampleBlueprint().sponsors[0] }],
})

/** Microsoft Graph shows an agent without an application ID. */
const agent = (id: string, displayName: string, agentIdentityBlueprintId = of.blueprint) =>
  servicePrincipal.parse({ id, appId: '', displayName, agentIdentityBlueprintId })

const agents = [agent(of.first, 'Agent 1'), agent(of.second, 'Agent 2')]
const principal = servicePrincipal.parse({
  id: of.blueprintPrincipal,
  appId: of.blueprint,
  displayName: 'Helper blueprint',
})
const assigned = (principalId: string, appRoleId: string) => ({
  id: `${principalId}/${appRoleId}`,
  principalId,
  resourceId: ids.apiPrincipal,
  appRoleId,
})

/** The directory of the file, with some parts replaced. */
const stateWith = ({ changes = {}, some = agents, consents = true } = {}) =>
  sampleState({
    applications: [{ ...blueprint, ...changes }],
    servicePrincipals: [principal, ...some],
    assignments: [
      ...sampleAssignments,
      ...(consents ? [assigned(of.blueprintPrincipal, ids.hello), assigned(of.first, ids.hi)] : []),
    ],
  })

const fileWith = (members: object = {}) => {
  const file = sampleFile()
  return {
    ...file,
    blueprints: [
      {
        ...sampleBlueprint(),
        federatedCredentials: [
          { displayName: cluster.name, issuer: cluster.issuer, subject: cluster.subject },
        ],
        ...members,
      },
    ],
    consents: [
      ...file.consents,
      ...['Helper blueprint', 'Agent 1'].map((client) => ({ client, api: 'Greeting API' })),
    ],
  }
}
const complete = () => fileWith()
const [first, second] = sampleBlueprint().agents

const differences: Difference[] = [
  {
    name: 'no changes when the directory has them',
    expected: [],
    change: complete,
    state: stateWith(),
  },
  {
    name: 'a blueprint with its agents, of which a directory has nothing',
    expected: [
      'createApplication   + blueprint "Helper blueprint"',
      'createServicePrincipal   + service principal of "Helper blueprint"',
      'createAgent   + agent "Agent 1" of "Helper blueprint"',
      'createAgent   + agent "Agent 2" of "Helper blueprint"',
      'setPermissions   + "Helper blueprint" requests CallHelloApiRole of "Greeting API"',
      'setInheritance   + agents of "Helper blueprint" inherit its roles of "Greeting API"',
      'grantConsent   + "Helper blueprint" is granted CallHelloApiRole of "Greeting API"',
      'grantConsent   + "Agent 1" is granted CallHiApiRole of "Greeting API"',
      'setFederatedCredentials   + federated credential "cluster" of "Helper blueprint" (https://issuer.example, agents)',
    ],
    change: complete,
  },
  {
    name: 'an agent that another blueprint has under the same name',
    expected: ['createAgent   + agent "Agent 2" of "Helper blueprint"'],
    change: complete,
    state: stateWith({
      some: [agent(of.first, 'Agent 1'), agent(of.second, 'Agent 2', ids.other)],
    }),
  },
  {
    name: 'an agent that the file does not list any more',
    expected: [`deleteAgent ! - agent "Agent 2" of "Helper blueprint" (${of.second})`],
    change: () => fileWith({ agents: [first] }),
    state: stateWith(),
  },
  {
    name: 'no changes of agents without a list of them',
    expected: [],
    change: () => ({ ...fileWith({ agents: undefined }), consents: undefined }),
    state: stateWith(),
  },
  {
    name: 'a new name of an agent',
    expected: ['updateServicePrincipal   ~ "Agent 3": displayName "Agent 2" -> "Agent 3"'],
    change: () =>
      fileWith({
        agents: [first, { ...second, displayName: 'Agent 3', applicationId: of.second }],
      }),
    state: stateWith(),
  },
  {
    name: 'an API whose roles were inheritable and are not any more',
    expected: [
      'setInheritance   + agents of "Helper blueprint" inherit its roles of "Greeting API"',
    ],
    change: complete,
    state: stateWith({
      changes: { inheritablePermissions: [{ ...inherited, inheritableRoles: { kind: 'none' } }] },
    }),
  },
  {
    name: 'an inherited API that the file does not name',
    expected: [
      'setInheritance ! - agents of "Helper blueprint" inherit its roles of "Greeting API"',
    ],
    change: () => fileWith({ inherit: [] }),
    state: stateWith(),
  },
  {
    name: 'a federated credential with another subject',
    expected: [
      'setFederatedCredentials ! - federated credential "cluster" of "Helper blueprint"',
      'setFederatedCredentials ! + federated credential "cluster" of "Helper blueprint" (https://issuer.example, agents)',
    ],
    change: complete,
    state: stateWith({
      changes: {
        federatedIdentityCredentials: [
          { id: 'f', ...cluster, subject: 'others', audiences: [audience] },
        ],
      },
    }),
  },
  {
    name: 'the reason why an ordinary application is no blueprint',
    expected: [
      '"Helper blueprint" is an ordinary application in the tenant. Describe it under "clients".',
    ],
    change: complete,
    state: stateWith({ changes: { '@odata.type': undefined } }),
  },
  {
    name: 'the reason why a blueprint is no client',
    expected: ['"Helper blueprint" is a blueprint in the tenant. Describe it under "blueprints".'],
    change: (file: Sample) => ({
      ...file,
      clients: [{ displayName: 'Helper blueprint' }],
      consents: [],
    }),
    state: stateWith(),
  },
  {
    name: 'the IDs of agents that match one name',
    expected: [
      `2 agents of "Helper blueprint" match "Agent 1": ${of.first}, ${of.second}. Set the applicationId of the right one.`,
    ],
    change: complete,
    state: stateWith({ some: [agent(of.first, 'Agent 1'), agent(of.second, 'Agent 1')] }),
  },
  {
    name: 'the reason why an agent of another blueprint is not taken',
    expected: [
      `No agent of "Helper blueprint" has the ID ${of.second}. The directory chooses the IDs of agents.`,
    ],
    change: () => fileWith({ agents: [first, { ...second, applicationId: of.second }] }),
    state: stateWith({
      some: [agent(of.first, 'Agent 1'), agent(of.second, 'Agent 2', ids.other)],
    }),
  },
]

describeDifferences('a plan for agents has', differences)

const planOf = (
  file: unknown,
  state: ReturnType<typeof stateWith>,
  confirmed = confirmedIn(state),
) => planRegistrations({ file: parseRegistrations(JSON.stringify(file)), state, now, confirmed })

it('a plan gives an agent no role while an unknown person can authenticate its blueprint', () => {
  const state = stateWith({ consents: false })
  const file = complete()
  set(file, { consents: [{ client: 'Agent 1', api: 'Greeting API' }] })
  const { changes, faults } = planOf(file, state, new Set([ids.api, ids.client]))
  assert.deepEqual(changes, [])
  assert.match(
    faults[0] ?? '',
    /^Admin consent for "Helper blueprint" is refused: .* with 1 federated credential/,
  )
})

it('a plan lets agents inherit nothing new while an unknown person can authenticate their blueprint', () => {
  const state = stateWith({ changes: { inheritablePermissions: [] } })
  const { faults } = planOf(complete(), state, new Set([ids.api, ids.client]))
  assert.match(faults[0] ?? '', /^Admin consent for "Helper blueprint" is refused/)
})

it('a plan lists the blueprint roles that no agent inherits', () => {
  const { ifApplied } = planOf(fileWith({ inherit: [] }), stateWith())
  assert.deepEqual(ifApplied, [
    'No agent has the roles of "Greeting API" that "Helper blueprint" is granted: its "inherit" does not name the API.',
  ])
})

for (const portable of [false, true]) {
  it(`an exported file with agents changes nothing in its own directory, portable: ${portable}`, () => {
    const state = stateWith()
    const { file, notes } = exportRegistrations(state, { portable })
    const { changes, faults } = planOf(file, state)
    assert.deepEqual({ changes, faults, notes }, { changes: [], faults: [], notes: [] })
    assert.equal(JSON.stringify(file).includes(of.first), !portable)
    const [exported] = parseRegistrations(JSON.stringify(file)).blueprints
    assert.deepEqual(exported?.sponsors, sampleBlueprint().sponsors)
    assert.deepEqual(
      exported?.agents?.map(({ displayName }) => displayName),
      ['Agent 1', 'Agent 2'],
    )
  })
}
