import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { guid } from '../../../../../test/fixtures/directory/sample.ts'
import { newApplication } from '../../../src/model/application/application.ts'
import { systemRuntime } from '../../../src/model/runtime.ts'
import { newServicePrincipal } from '../../../src/model/service-principal/service-principal.ts'

const required = {
  id: guid(1),
  tenantId: guid(2),
  appId: guid(3),
  displayName: 'New',
  createdDateTime: new Date(0),
}

describe('a new application', () => {
  it('has no app roles, requested permissions or credentials by default', () => {
    const { passwordAuthenticationAllowed, signInAudience, ...rest } = newApplication(required)
    assert.equal(passwordAuthenticationAllowed, true)
    assert.equal(signInAudience, 'AzureADMyOrg')
    const others = Object.entries(rest).filter(([name]) => !(name in required))
    for (const [name, value] of others)
      assert.ok(value === null || value === false || Object.keys(value).length === 0, name)
  })

  it('keeps the given properties', () => {
    const identifierUris = ['api://one']
    assert.deepEqual(newApplication({ ...required, identifierUris }).identifierUris, identifierUris)
  })
})

describe('a new service principal', () => {
  it('has a separate ID, is enabled, and requires no app role assignment', () => {
    const now = new Date(1000)
    const runtime = { ...systemRuntime, now: () => now, newGuid: () => guid(9) }
    assert.deepEqual(newServicePrincipal(guid(4), newApplication(required), runtime), {
      id: guid(9),
      tenantId: guid(4),
      appId: guid(3),
      displayName: 'New',
      createdDateTime: now,
      deletedDateTime: null,
      accountEnabled: true,
      appRoleAssignmentRequired: false,
      delegatedConsents: [],
      inertProperties: {},
      ownerIds: [],
      policyIds: [],
      passwordCredentials: [],
      keyCredentials: [],
      agentIdentityBlueprintId: null,
      sponsorIds: [],
      createdByAppId: null,
    })
  })
})
