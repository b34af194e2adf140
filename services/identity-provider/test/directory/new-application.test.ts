import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newApplication } from '../../src/directory/new-application.ts'
import { newServicePrincipal } from '../../src/directory/new-service-principal.ts'
import { systemRuntime } from '../../src/directory/runtime.ts'
import { guid } from './sample.ts'

const given = {
  id: guid(1),
  tenantId: guid(2),
  appId: guid(3),
  displayName: 'New',
  createdDateTime: new Date(0),
}

describe('a new application', () => {
  it('declares nothing, asks for nothing, and has nothing to prove itself by', () => {
    const { passwordAuthenticationAllowed, signInAudience, ...rest } = newApplication(given)
    assert.equal(passwordAuthenticationAllowed, true)
    assert.equal(signInAudience, 'AzureADMyOrg')
    const others = Object.entries(rest).filter(([name]) => !(name in given))
    for (const [name, value] of others)
      assert.ok(value === null || value === false || Object.keys(value).length === 0, name)
  })

  it('is what is given where something is given', () => {
    const identifierUris = ['api://one']
    assert.deepEqual(newApplication({ ...given, identifierUris }).identifierUris, identifierUris)
  })
})

describe('a new service principal', () => {
  it('is enabled, an object of its own, and open to who has no role', () => {
    const now = new Date(1000)
    const source = { ...systemRuntime, now: () => now, newGuid: () => guid(9) }
    assert.deepEqual(newServicePrincipal(guid(4), newApplication(given), source), {
      id: guid(9),
      tenantId: guid(4),
      appId: guid(3),
      displayName: 'New',
      createdDateTime: now,
      deletedDateTime: null,
      accountEnabled: true,
      appRoleAssignmentRequired: false,
    })
  })
})
