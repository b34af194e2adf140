import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRegistrations } from '@greeting/registrations'
import { type ExportOptions, exportRegistrations } from '../../src/planning/export.ts'
import { planRegistrations } from '../../src/planning/plan.ts'
import {
  ids,
  now,
  sampleApi,
  sampleAssignments,
  sampleClient,
  sampleState,
  tenantId,
} from './sample-state.ts'

const planOf = (state: ReturnType<typeof sampleState>, options: ExportOptions = {}) => {
  const { file } = exportRegistrations(state, options)
  return planRegistrations({ file: parseRegistrations(JSON.stringify(file)), state, now })
}

const states: [string, ReturnType<typeof sampleState>][] = [
  ['all six steps', sampleState()],
  [
    'an empty tenant',
    sampleState({
      api: null,
      client: null,
      apiPrincipal: null,
      clientPrincipal: null,
      assignments: [],
    }),
  ],
  ['a consent that was never granted', sampleState({ assignments: [] })],
  [
    'disabled roles',
    sampleState({
      api: { appRoles: sampleApi.appRoles.map((one) => ({ ...one, isEnabled: false })) },
    }),
  ],
  ['tokens of version 2', sampleState({ api: { api: { requestedAccessTokenVersion: 2 } } })],
  ['a required assignment', sampleState({ apiPrincipal: { appRoleAssignmentRequired: true } })],
  [
    'an API that is also a client',
    sampleState({ api: { passwordCredentials: sampleClient.passwordCredentials } }),
  ],
  [
    'several names',
    sampleState({ api: { identifierUris: [`api://${ids.api}`, 'api://orders.example'] } }),
  ],
]

describe('an exported file', () => {
  for (const [name, state] of states) {
    for (const portable of [false, true]) {
      it(`changes nothing in its own directory: ${name}${portable ? ', portable' : ''}`, () => {
        const { changes, faults } = planOf(state, { portable })
        assert.deepEqual({ changes, faults }, { changes: [], faults: [] })
      })
    }
  }

  it('contains IDs, unless it is portable', () => {
    const state = sampleState()
    const { file } = exportRegistrations(state)
    assert.deepEqual(file.tenant, { id: tenantId })
    assert.match(JSON.stringify(file), new RegExp(ids.api))
    const portable = JSON.stringify(exportRegistrations(state, { portable: true }).file)
    assert.doesNotMatch(portable, new RegExp(`${ids.api}|${ids.client}|${tenantId}`))
    assert.match(portable, /"api:\/\/\{applicationId\}"/)
  })

  it('declares roles with their eight fields (contract C20 to C27)', () => {
    const { apis } = parseRegistrations(JSON.stringify(exportRegistrations(sampleState()).file))
    assert.deepEqual(Object.keys(apis[0]?.appRoles[0] ?? {}).sort(), [
      'allowedMemberTypes',
      'description',
      'displayName',
      'id',
      'isEnabled',
      'lang',
      'origin',
      'value',
    ])
  })

  it('contains only the requested applications', () => {
    const { file } = exportRegistrations(sampleState(), { names: ['Greeting API'] })
    assert.deepEqual((file.clients as unknown[]).length, 0)
    assert.deepEqual((file.apis as unknown[]).length, 1)
  })

  it('lists an API as a client too if only its service principal has a credential', () => {
    const { passwordCredentials } = sampleClient
    const { file } = exportRegistrations(sampleState({ apiPrincipal: { passwordCredentials } }))
    const clients = file.clients as { displayName: string }[]
    assert.deepEqual(clients.map(({ displayName }) => displayName).sort(), [
      'Greeting API',
      'Greeting client',
    ])
  })

  const notes: [string, ReturnType<typeof sampleState>, RegExp][] = [
    [
      'a role that was granted without being requested',
      sampleState({
        client: { requiredResourceAccess: [] },
        assignments: sampleAssignments.slice(0, 1),
      }),
      /^"Greeting client" was granted CallHiApiRole of "Greeting API" without a request/,
    ],
    [
      'a secret without a name',
      sampleState({
        client: {
          passwordCredentials: sampleClient.passwordCredentials.map((one) => ({
            ...one,
            displayName: null,
          })),
        },
      }),
      /^"Greeting client" has a secret without a name/,
    ],
    [
      'certificates',
      sampleState({
        client: {
          keyCredentials: [
            {
              keyId: ids.other,
              displayName: 'laptop',
              customKeyIdentifier: 'AA',
              type: '',
              usage: '',
              startDateTime: now,
              endDateTime: now,
            },
          ],
        },
      }),
      /^"Greeting client" has certificates/,
    ],
    [
      'credentials of the service principal',
      sampleState({
        client: { requiredResourceAccess: [], passwordCredentials: [] },
        clientPrincipal: { passwordCredentials: sampleClient.passwordCredentials },
        assignments: [],
      }),
      /^"Greeting client" has credentials of its service principal \(1 secret\), which a file cannot describe: the file omits them\.$/,
    ],
    [
      'a request for an undeclared role',
      sampleState({
        client: {
          requiredResourceAccess: [
            { resourceAppId: ids.other, resourceAccess: [{ id: ids.hi, type: 'Role' }] },
          ],
        },
        assignments: [],
      }),
      /^"Greeting client" requests a role .* that no API declares/,
    ],
    [
      'two applications with one name',
      sampleState({ applications: [{ ...sampleApi, id: ids.other, appId: ids.other }] }),
      /^2 applications have the name "Greeting API"/,
    ],
  ]
  for (const [name, state, note] of notes) {
    it(`contains a note about ${name}`, () => {
      assert.match(exportRegistrations(state).notes.join('\n'), note)
    })
  }
})
