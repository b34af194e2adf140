import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { servicePrincipal } from '../../src/directory/directory-state.ts'
import { locateById } from '../../src/directory/locate.ts'
import { explain } from '../../src/explaining/explain.ts'
import { carriedRoles } from '../../src/explaining/explanation.ts'
import { ids, now, sampleApi, sampleState } from '../planning/sample-state.ts'

const explained = (state: ReturnType<typeof sampleState>, client = ids.other) =>
  explain(state, locateById(state, client), locateById(state, ids.api), now)

/** The client of the sample as a blueprint, with an agent that has the roles of `own`. */
const withAgent = ({
  agent = {},
  own = [],
  assigned = [],
  inherits = true,
  ...parts
}: Agent = {}): ReturnType<typeof sampleState> =>
  sampleState({
    ...parts,
    client:
      parts.client === null
        ? null
        : {
            '@odata.type': '#microsoft.graph.agentIdentityBlueprint',
            requiredResourceAccess: [],
            inheritablePermissions: [
              {
                resourceAppId: ids.api,
                inheritableRoles: { kind: inherits ? 'allAllowed' : 'none' },
              },
            ],
            ...parts.client,
          },
    assignments: [
      ...own.map((appRoleId) => ({ appRoleId, principalId: ids.other })),
      ...assigned.map((appRoleId) => ({ appRoleId, principalId: ids.clientPrincipal })),
    ].map((one, index) => ({ ...one, id: String(index), resourceId: ids.apiPrincipal })),
    servicePrincipals: [
      servicePrincipal.parse({
        id: ids.other,
        appId: ids.other,
        displayName: 'Night agent',
        agentIdentityBlueprintId: ids.client,
        ...agent,
      }),
    ],
  })

type Agent = Omit<Parameters<typeof sampleState>[0] & {}, 'assignments'> & {
  agent?: object
  own?: string[]
  /** The roles of the blueprint. */
  assigned?: string[]
  inherits?: boolean
}

const access = (id: string) => [{ resourceAppId: ids.api, resourceAccess: [{ id, type: 'Role' }] }]
const { hi, hello } = ids

type Row = {
  name: string
  state: ReturnType<typeof sampleState>
  roles?: string[]
  aadstsCode?: number
  /** Step, state and detail of each step that is not done. */
  open: [string, string, string][]
}

const rows: Row[] = [
  {
    name: 'a role is assigned to it',
    state: withAgent({ own: [hi] }),
    roles: ['CallHiApiRole'],
    open: [],
  },
  {
    name: 'it has one role, and inherits one',
    state: withAgent({ own: [hi], assigned: [hi, hello] }),
    roles: ['CallHiApiRole', 'CallHelloApiRole'],
    open: [],
  },
  {
    name: 'its blueprint has no service principal',
    state: withAgent({ own: [hi], clientPrincipal: null }),
    aadstsCode: 7000229,
    open: [
      [
        'Client registration',
        'missing',
        'its blueprint "Greeting client": it has no service principal in this tenant',
      ],
    ],
  },
  {
    name: 'its blueprint is disabled',
    state: withAgent({ own: [hi], clientPrincipal: { accountEnabled: false } }),
    aadstsCode: 7000112,
    open: [
      [
        'Client registration',
        'missing',
        'its blueprint "Greeting client": its service principal is disabled',
      ],
    ],
  },
  {
    name: 'its blueprint is deleted',
    state: withAgent({ own: [hi], client: null, clientPrincipal: null }),
    aadstsCode: 700016,
    open: [
      [
        'Client registration',
        'missing',
        `its blueprint "${ids.client}": the client is not registered`,
      ],
      ['Client secret', 'missing', 'its blueprint has no credential'],
    ],
  },
  {
    name: 'it is disabled',
    state: withAgent({ own: [hi], agent: { accountEnabled: false } }),
    aadstsCode: 7000112,
    open: [['Client registration', 'missing', 'its service principal is disabled']],
  },
  {
    name: 'nothing is requested',
    state: withAgent(),
    open: [
      ['Permissions', 'missing', 'neither it nor its blueprint has a role'],
      ['Admin consent', 'missing', 'no role is granted'],
    ],
  },
  {
    name: 'its blueprint requests a role without consent',
    state: withAgent({ client: { requiredResourceAccess: access(hi) } }),
    open: [['Admin consent', 'missing', 'requested but not granted: CallHiApiRole']],
  },
  {
    name: 'its blueprint has a role that agents do not inherit',
    state: withAgent({ assigned: [hi], inherits: false }),
    open: [
      ['Admin consent', 'missing', 'assigned to the blueprint, but not inheritable: CallHiApiRole'],
    ],
  },
  {
    name: 'the inherited role is disabled',
    state: withAgent({
      assigned: [hi],
      api: { appRoles: sampleApi.appRoles.map((role) => ({ ...role, isEnabled: false })) },
    }),
    open: [['Application roles', 'missing', 'disabled: CallHiApiRole, CallHelloApiRole']],
  },
  {
    name: 'the API requires an assignment, and only the blueprint has one',
    state: withAgent({ assigned: [hi], apiPrincipal: { appRoleAssignmentRequired: true } }),
    roles: ['CallHiApiRole'],
    open: [],
  },
  {
    name: "the API requires an assignment, and the agent may not inherit its blueprint's assignment",
    state: withAgent({
      assigned: [hi],
      inherits: false,
      apiPrincipal: { appRoleAssignmentRequired: true },
    }),
    aadstsCode: 501051,
    open: [
      ['Admin consent', 'missing', 'assigned to the blueprint, but not inheritable: CallHiApiRole'],
    ],
  },
  {
    name: 'its blueprint has no credential',
    state: withAgent({ own: [hi], client: { passwordCredentials: [] } }),
    aadstsCode: 7000215,
    open: [['Client secret', 'missing', 'its blueprint has no credential']],
  },
]

describe('an explanation of an agent, if', () => {
  for (const { name, state, roles = [], aadstsCode, open } of rows) {
    it(name, () => {
      const explanation = explained(state)
      const notDone = explanation.steps
        .filter((finding) => finding.state !== 'done')
        .map((finding) => [finding.step, finding.state, finding.detail])
      assert.deepEqual(notDone, open)
      assert.equal(explanation.refusal?.aadstsCode, aadstsCode)
      assert.deepEqual(carriedRoles(explanation), roles)
    })
  }

  it('its blueprint requests the token itself', () => {
    const { refusal } = explained(withAgent({ assigned: [hi] }), ids.client)
    assert.deepEqual(refusal, {
      aadstsCode: 82001,
      reason: 'it is a blueprint: only its agents get tokens for this API',
    })
  })

  it('it inherits a role, names the blueprint', () => {
    const { blueprint, steps, roles } = explained(withAgent({ assigned: [hi] }))
    assert.deepEqual(blueprint, { id: ids.client, name: 'Greeting client' })
    assert.equal(steps[4]?.detail, 'CallHiApiRole (inherited from "Greeting client")')
    assert.deepEqual(roles[0], { value: 'CallHiApiRole', state: 'carried', source: 'inherited' })
  })

  for (const [what, hours, inherits, note] of [
    ['an hour ago', 1, true, /^A token issued before \S+Z lacks the role granted then\.$/],
    ['an hour ago, without inheritance', 1, false, undefined],
    ['two days ago', 48, true, undefined],
  ] as const)
    it(`a role was granted ${what}, ${note ? 'warns' : 'does not warn'} about older tokens`, () => {
      const state = withAgent({ assigned: [hi], inherits })
      const createdDateTime = new Date(now.getTime() - hours * 3_600_000)
      const assignments = state.assignments.map((one) => ({ ...one, createdDateTime }))
      assert.match(explained({ ...state, assignments }).note ?? '', note ?? /^$/)
    })

  it('its blueprint has to act, names each such step', () => {
    const disabled = withAgent({ clientPrincipal: { accountEnabled: false }, assigned: [hi] })
    const ofBlueprint = explained(disabled).steps.filter(({ of }) => of === 'blueprint')
    assert.deepEqual(
      ofBlueprint.map(({ step }) => step),
      ['Client registration', 'Client secret'],
    )
  })
})
