import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRegistrations } from '@greeting/registrations'
import { sampleFile } from '@greeting/registrations/samples'
import { servicePrincipal } from '../../src/directory/directory-state.ts'
import { planRegistrations } from '../../src/planning/plan.ts'
import { planText } from '../../src/planning/plan-text.ts'
import { confirmedIn, ids, now, sampleApi, sampleClient, sampleState } from './sample-state.ts'

const plan = (file: unknown, state = sampleState()) =>
  planRegistrations({
    file: parseRegistrations(JSON.stringify(file)),
    state,
    now,
    confirmed: confirmedIn(state),
  })

const job = (api: string, roles = ['Read']) => ({
  clients: [{ displayName: 'Greeting client', permissions: [{ api, roles }] }],
})

const twin = { ...sampleApi, id: ids.secret, appId: ids.other, identifierUris: [] }

const rows: [string, unknown, ReturnType<typeof sampleState>, string][] = [
  [
    'a name of two applications',
    sampleFile(),
    sampleState({ applications: [twin] }),
    `2 applications match "Greeting API": ${ids.api}, ${ids.other}. Set the applicationId of the right one.`,
  ],
  [
    'an unknown application ID',
    { apis: [{ displayName: 'Greeting API', applicationId: ids.other, appRoles: [] }] },
    sampleState(),
    `No application of the tenant has the ID ${ids.other}. The directory chooses application IDs. Omit the ID to find "Greeting API" by its name, or to create it.`,
  ],
  [
    'a permission for an unknown API',
    job('Orders API'),
    sampleState(),
    'The API "Orders API" is not in the file and not in the tenant.',
  ],
  [
    'a permission that its API does not declare',
    job('Greeting API'),
    sampleState(),
    'The API "Greeting API" declares no app role "Read".',
  ],
]

const graph = servicePrincipal.parse({
  id: ids.secret,
  appId: ids.other,
  displayName: 'Microsoft Graph',
  appRoles: [{ ...sampleApi.appRoles[0], id: ids.hello, value: 'Read' }],
})

describe('a plan is refused for', () => {
  for (const [name, file, state, fault] of rows) {
    it(name, () => {
      const { faults, changes } = plan(file, state)
      assert.deepEqual({ faults, changes }, { faults: [fault], changes: [] })
    })
  }

  it('an ambiguity, unless the file resolves it', () => {
    const [entry] = sampleFile().apis
    const file = { apis: [{ ...entry, applicationId: ids.api }] }
    assert.deepEqual(plan(file, sampleState({ applications: [twin] })).faults, [])
  })

  it('nothing if an API from another tenant has only a service principal', () => {
    for (const name of ['Microsoft Graph', ids.other]) {
      const { changes, faults } = plan(job(name), sampleState({ servicePrincipals: [graph] }))
      assert.deepEqual(faults, [])
      assert.deepEqual(
        changes.map(({ kind }) => kind),
        ['setPermissions'],
      )
    }
  })

  it('CL14: an API from another tenant with the name of an application in this tenant', () => {
    const planted = {
      ...sampleApi,
      id: ids.other,
      appId: ids.secret,
      displayName: 'Microsoft Graph',
    }
    const state = sampleState({ applications: [planted], servicePrincipals: [graph] })
    assert.deepEqual(plan(job('Microsoft Graph'), state).faults, [
      `2 APIs match "Microsoft Graph": ${ids.secret}, ${ids.other}. Use the application ID of the right one instead of the name.`,
    ])
    assert.deepEqual(plan(job(ids.other), state).faults, [])
  })
})

describe('a plan as text', () => {
  it('reports that nothing changes', () => {
    assert.equal(planText(plan(sampleFile())), 'No changes: the directory matches the file.\n')
  })

  it('shows the steps, the removals and the effects on clients', () => {
    const file = sampleFile()
    file.consents[0]?.roles.pop()
    assert.equal(
      planText(plan(file, sampleState({ clientPrincipal: null, assignments: [] }))),
      `3 Client registration
  + service principal of "Greeting client"

5 Admin consent
  + "Greeting client" is granted CallHiApiRole of "Greeting API"

2 changes; nothing is removed or replaced.

Without these changes:
  "Greeting client" gets no token for "Greeting API": it has no service principal in this tenant (AADSTS7000229).

With these changes:
  "Greeting client" gets a token for "Greeting API" without CallHelloApiRole: the file requests it without admin consent.
`,
    )
  })

  it('names the credentials that the file does not describe', () => {
    const { passwordCredentials } = sampleClient
    const state = sampleState({
      clientPrincipal: { passwordCredentials, keyCredentials: passwordCredentials },
    })
    const kept = `"Greeting client" keeps 1 secret and 1 certificate of its service principal, which the file does not describe.`
    assert.deepEqual(plan(sampleFile(), state).ifApplied, [kept])
    assert.deepEqual(plan({ clients: [{ displayName: 'Greeting client' }] }, state).ifApplied, [])
  })

  it('lists its errors instead of a diff', () => {
    assert.equal(
      planText(plan(job('Orders API'))),
      'Cannot make a plan:\n  The API "Orders API" is not in the file and not in the tenant.\n',
    )
  })

  it('warns about the removals in its changes', () => {
    const text = planText(plan({ removed: ['Greeting client'] }))
    assert.match(text, /^! - application "Greeting client"/m)
    assert.match(text, /1 change; those marked ! remove or replace something/)
  })
})
