import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { graphAppId, put, tokenExchangeUri } from '@greeting/directory'
import {
  application,
  appRole,
  appRoleAssignment,
  guid,
  servicePrincipal,
} from '../../../../test/fixtures/directory/sample.ts'
import { agentSubject } from '../../src/issuance/agent-identity.ts'
import { Refused } from '../../src/refusals/refusal.ts'
import {
  agentId,
  agentRefusals,
  asAgent,
  blueprintId,
  decide,
  forAgent,
  hello,
  hi,
  type Situation,
} from './agent-situation.ts'
import { ownIssuer, tenantId } from './token-situation.ts'

describe('agent identities (entra E192 to E204)', () => {
  it('have a subject with tenant and blueprint, as in published tokens', () => {
    const subject = agentSubject(
      '323626f5-1bfe-48cd-8902-ddfdfd44e1ce',
      'e8c058ec-3ac5-4086-b58d-bd731d7bae4f',
      agentId,
    )
    assert.equal(
      subject,
      `/eid1/c/pub/t/9SY2Mv4bzUiJAt39_UThzg/a/7FjA6MU6hkC1jb1zHXuuTw/${agentId}`,
    )
  })

  for (const [what, situation, sent, reason] of agentRefusals)
    it(`refuse ${what}: ${reason}`, () => {
      const decision = decide(situation, sent)
      assert.ok(decision instanceof Refused, 'a token was issued')
      assert.equal(decision.refusal.reason, reason)
    })

  it('give a blueprint a token without roles for its agent', () => {
    const decision = decide({ blueprintRoles: [hi.id] }, forAgent)
    assert.ok(!(decision instanceof Refused))
    assert.equal(decision.agent?.id, agentId)
    assert.deepEqual(decision.roles, [])
  })

  it('give a blueprint a token for Microsoft Graph, with the role that every blueprint has', () => {
    const decision = decide({}, { resource: graphAppId })
    assert.ok(!(decision instanceof Refused))
    assert.deepEqual(decision.roles, ['AgentIdentity.CreateAsManager'])
  })

  const roleRows: [what: string, Situation, string[]][] = [
    ['its own roles', {}, ['CallHiApiRole']],
    ['no roles without an assignment', { ownRoles: [] }, []],
    [
      'its inherited roles as well as its own',
      { blueprintRoles: [hello.id], inheritable: 'allAllowed' },
      ['CallHiApiRole', 'CallHelloApiRole'],
    ],
    [
      'each role only once',
      { blueprintRoles: [hi.id], inheritable: 'allAllowed' },
      ['CallHiApiRole'],
    ],
    [
      'only its own roles when the blueprint names the API without roles',
      { blueprintRoles: [hello.id], inheritable: 'none' },
      ['CallHiApiRole'],
    ],
    [
      'only its own roles when the blueprint does not name the API',
      { blueprintRoles: [hello.id] },
      ['CallHiApiRole'],
    ],
  ]
  for (const [what, situation, roles] of roleRows)
    it(`give an agent ${what} at an API`, () => {
      const decision = decide(situation, asAgent)
      assert.ok(!(decision instanceof Refused), JSON.stringify(decision))
      assert.equal(decision.client.application.appId, agentId)
      assert.equal(decision.client.principal.id, agentId)
      assert.deepEqual(decision.roles, roles)
    })

  it('accept an inherited role if an API requires an assignment', () => {
    const required = put('servicePrincipal', servicePrincipal({ appRoleAssignmentRequired: true }))
    const inherits = { ownRoles: [], blueprintRoles: [hi.id], changes: [required] }
    const refused = decide(inherits, asAgent)
    assert.equal(refused instanceof Refused && refused.refusal.reason, 'role_required')
    const decision = decide({ ...inherits, inheritable: 'allAllowed' }, asAgent)
    assert.ok(!(decision instanceof Refused))
  })

  for (const [value, isGiven] of [
    ['Application.ReadWrite.All', false],
    ['AppRoleAssignment.ReadWrite.All', false],
    ['AgentIdentity.Create.All', false],
    ['Application.Read.All', true],
  ] as const)
    it(`${isGiven ? 'give' : 'never give'} an agent the Graph permission ${value}`, () => {
      const roles = [appRole({ value })]
      const graph = application({ id: guid(0xf3), appId: graphAppId, appRoles: roles })
      const part = { principalId: agentId, appRoleId: hi.id, resourceId: guid(0xf3) }
      const assignment = put('appRoleAssignment', appRoleAssignment(part))
      const changes = [put('application', graph), assignment]
      const decision = decide({ changes, ownRoles: [] }, { ...asAgent, resource: graphAppId })
      assert.ok(!(decision instanceof Refused))
      assert.deepEqual(decision.roles, isGiven ? [value] : [])
    })

  it("accept a blueprint's token for an agent until it expires, even if assertions are valid once", () => {
    const decision = decide({}, { ...asAgent, isOnceOnly: true })
    assert.ok(!(decision instanceof Refused))
  })

  it("do not accept a blueprint's token for an agent as the credential of an application", () => {
    const subject = agentSubject(tenantId, blueprintId, agentId)
    const trust = {
      id: guid(0xf1),
      name: 'agent',
      description: null,
      issuer: ownIssuer,
      subject,
      audiences: [tokenExchangeUri],
    }
    const other = { id: guid(0xc2), appId: guid(0xc1), federatedIdentityCredentials: [trust] }
    const changes = [
      put('application', application(other)),
      put('servicePrincipal', servicePrincipal({ id: guid(0xc3), appId: guid(0xc1) })),
    ]
    const decision = decide({ changes }, { ...asAgent, clientId: guid(0xc1) })
    assert.equal(decision instanceof Refused && decision.refusal.reason, 'federated_token_chained')
  })

  it('require the management roles of its agents from an application that can authenticate as the blueprint', () => {
    const presenter = { id: guid(0xc3), appId: guid(0xc1), displayName: 'Identity' }
    const trust = {
      id: guid(0xf1),
      name: 'identity',
      description: null,
      issuer: ownIssuer,
      subject: guid(0xc3),
      audiences: [tokenExchangeUri],
    }
    const role = { principalId: agentId, appRoleId: hi.id, resourceId: guid(0xf3) }
    const changes = [
      put('application', application({ id: guid(0xc2), appId: guid(0xc1) })),
      put('servicePrincipal', servicePrincipal(presenter)),
    ]
    const situation = { blueprint: { federatedIdentityCredentials: [trust] }, ownRoles: [] }
    const sent = { ...forAgent, claims: { sub: guid(0xc3) } }
    assert.ok(!(decide({ ...situation, changes }, sent) instanceof Refused))
    const withRole = [...changes, put('appRoleAssignment', appRoleAssignment(role))]
    const decision = decide({ ...situation, changes: withRole }, sent)
    assert.equal(decision instanceof Refused && decision.refusal.reason, 'role_required')
  })
})
