import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { locateById } from '../../src/directory/locate.ts'
import { explain } from '../../src/explaining/explain.ts'
import { carriedRoles, explanationText } from '../../src/explaining/explanation.ts'
import {
  ids,
  now,
  sampleApi,
  sampleAssignments,
  sampleClient,
  sampleState,
} from '../planning/sample-state.ts'

const explained = (state: ReturnType<typeof sampleState>) =>
  explain(
    state,
    { ...locateById(state, ids.client), name: 'Greeting client' },
    { ...locateById(state, ids.api), name: 'Greeting API' },
    now,
  )

const withSecret = (values: object, client: object = {}) =>
  sampleState({
    client: {
      ...client,
      passwordCredentials: sampleClient.passwordCredentials.map((one) => ({ ...one, ...values })),
    },
  })

const both = ['CallHiApiRole', 'CallHelloApiRole']

type Row = {
  name: string
  state: ReturnType<typeof sampleState>
  roles?: string[]
  aadstsCode?: number
  /** Step, state and detail of each step that is not done. */
  open: [string, string, string][]
}

const rows: Row[] = [
  { name: 'all six steps are done', state: sampleState(), roles: both, open: [] },
  {
    name: 'the API is not registered',
    state: sampleState({ api: null, apiPrincipal: null, assignments: [] }),
    aadstsCode: 500011,
    open: [
      ['API registration', 'missing', 'the API is not registered'],
      ['Application roles', 'missing', 'it declares no role'],
      ['Permissions', 'missing', 'it requests no role'],
      ['Admin consent', 'missing', 'no role is granted'],
    ],
  },
  {
    name: 'the API has no service principal',
    state: sampleState({ apiPrincipal: null, assignments: [] }),
    aadstsCode: 500011,
    open: [
      ['API registration', 'missing', 'it has no service principal in this tenant'],
      ['Admin consent', 'missing', 'requested but not granted: CallHiApiRole, CallHelloApiRole'],
    ],
  },
  {
    name: 'the API is disabled',
    state: sampleState({ apiPrincipal: { accountEnabled: false } }),
    aadstsCode: 500014,
    open: [['API registration', 'missing', 'its service principal is disabled']],
  },
  {
    name: 'the API has no name',
    state: sampleState({ api: { identifierUris: [] } }),
    aadstsCode: 500011,
    open: [['API registration', 'missing', 'it has no identifier URI']],
  },
  {
    name: 'one role is disabled',
    state: sampleState({
      api: { appRoles: sampleApi.appRoles.map((role, at) => ({ ...role, isEnabled: at > 0 })) },
    }),
    roles: ['CallHelloApiRole'],
    open: [['Application roles', 'partly', 'disabled: CallHiApiRole']],
  },
  {
    name: 'the client is not registered',
    state: sampleState({ client: null, clientPrincipal: null, assignments: [] }),
    aadstsCode: 700016,
    open: [
      ['Client registration', 'missing', 'the client is not registered'],
      ['Permissions', 'missing', 'it requests no role'],
      ['Admin consent', 'missing', 'no role is granted'],
      ['Client secret', 'missing', 'it has no credential'],
    ],
  },
  {
    name: 'the client is disabled',
    state: sampleState({ clientPrincipal: { accountEnabled: false } }),
    aadstsCode: 7000112,
    open: [['Client registration', 'missing', 'its service principal is disabled']],
  },
  {
    name: 'all roles are granted without a request',
    state: sampleState({ client: { requiredResourceAccess: [] } }),
    roles: both,
    open: [],
  },
  {
    name: 'the client belongs to another tenant, which shows its permissions and credentials',
    state: sampleState({ client: null, assignments: [] }),
    roles: [],
    open: [
      ['Permissions', 'unknown', 'only the home tenant of the application shows it'],
      ['Admin consent', 'missing', 'no role is granted'],
      ['Client secret', 'unknown', 'only the home tenant of the application shows it'],
    ],
  },
  {
    name: 'the client belongs to another tenant, and works',
    state: sampleState({
      client: null,
      clientPrincipal: { passwordCredentials: sampleClient.passwordCredentials },
    }),
    roles: both,
    open: [],
  },
  {
    name: 'consent was removed',
    state: sampleState({ assignments: [] }),
    roles: [],
    open: [
      ['Admin consent', 'missing', 'requested but not granted: CallHiApiRole, CallHelloApiRole'],
    ],
  },
  {
    name: 'consent was granted for one role',
    state: sampleState({ assignments: sampleAssignments.slice(0, 1) }),
    roles: ['CallHiApiRole'],
    open: [['Admin consent', 'partly', 'requested but not granted: CallHelloApiRole']],
  },
  {
    name: 'the API requires an assignment, and none exists',
    state: sampleState({ apiPrincipal: { appRoleAssignmentRequired: true }, assignments: [] }),
    aadstsCode: 501051,
    open: [
      ['Admin consent', 'missing', 'requested but not granted: CallHiApiRole, CallHelloApiRole'],
    ],
  },
  {
    name: 'the client has no secret',
    state: sampleState({ client: { passwordCredentials: [] } }),
    aadstsCode: 7000215,
    open: [['Client secret', 'missing', 'it has no credential']],
  },
  {
    name: 'its service principal has the only secret',
    state: sampleState({
      client: { passwordCredentials: [] },
      clientPrincipal: { passwordCredentials: sampleClient.passwordCredentials },
    }),
    roles: both,
    open: [],
  },
  {
    name: 'its only credential is federated',
    state: sampleState({
      client: { passwordCredentials: [], federatedIdentityCredentials: [{ id: 'github' }] },
    }),
    roles: both,
    open: [],
  },
  {
    name: 'a federated credential remains after the secret has expired',
    state: withSecret({ endDateTime: now }, { federatedIdentityCredentials: [{ id: 'github' }] }),
    roles: both,
    open: [],
  },
  {
    name: 'the secret has expired',
    state: withSecret({ endDateTime: now }),
    aadstsCode: 7000222,
    open: [['Client secret', 'missing', 'the last credential expired on 2026-03-01']],
  },
  {
    name: 'the secret is not valid yet',
    state: withSecret({ startDateTime: new Date(+now + 300_001) }),
    aadstsCode: 7000215,
    open: [['Client secret', 'missing', 'no credential is valid yet']],
  },
]

describe('an explanation, if', () => {
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
})

describe('an explanation as text', () => {
  it('begins with the result, and lists the six steps', () => {
    assert.equal(
      explanationText(explained(sampleState({ assignments: [] }))),
      `"Greeting client" gets a token for "Greeting API" without any role.
Missing step: Admin consent.

  1 API registration     ok       api://${ids.api}
  2 Application roles    ok       CallHiApiRole, CallHelloApiRole
  3 Client registration  ok       ${ids.client}
  4 Permissions          ok       CallHiApiRole, CallHelloApiRole
  5 Admin consent        MISSING  requested but not granted: CallHiApiRole, CallHelloApiRole
  6 Client secret        ok       secret, valid until 2026-07-31
`,
    )
  })

  it('names the roles in the token', () => {
    assert.match(
      explanationText(explained(sampleState())),
      /with CallHiApiRole, CallHelloApiRole\.\n/,
    )
  })

  it('names the refusal of the token request', () => {
    assert.match(
      explanationText(explained(withSecret({ endDateTime: now }))),
      /gets no token for "Greeting API": the last credential expired on 2026-03-01 \(AADSTS7000222\)\.\n/,
    )
  })
})
