import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { systemRuntime } from '@greeting/directory'
import { guid } from '../../../../fixtures/directory/sample.ts'
import { seedChanges } from '../../src/registrations/seed-changes.ts'
import { readSeedRegistrations } from '../../src/registrations/seed-registrations.ts'

const text = readFileSync(join(import.meta.dirname, 'sample.json'), 'utf8')
const defaults = { ...systemRuntime, tenantId: guid(1) }

it('the first start assigns the policies of the file, and is refused with what they refuse', () => {
  const file = JSON.parse(text)
  const restrictions = {
    passwordCredentials: [{ restrictionType: 'passwordLifetime', maxLifetime: 'P1D' }],
  }
  const short = { displayName: 'Short tokens', accessTokenLifetime: '00:10:00' }
  file.policies = { tokenLifetimePolicies: [short] }
  file.apis[0].tokenLifetimePolicy = 'Short tokens'
  const registrations = readSeedRegistrations(JSON.stringify(file), 'some.json', defaults)
  const { changes } = seedChanges(registrations, systemRuntime)
  const [policy] = registrations.tenant.policies
  assert.equal(policy?.displayName, 'Short tokens')
  const assigned = changes.flatMap((change) =>
    'policyIds' in Object(change.value) ? Object(change.value).policyIds : [],
  )
  assert.deepEqual(assigned, [policy?.id])
  file.policies.defaultAppManagementPolicy = { applicationRestrictions: restrictions }
  assert.throws(() => readSeedRegistrations(JSON.stringify(file), 'some.json', defaults), {
    code: 'registrations_invalid',
    message: /CredentialInvalidLifetimeAsPerAppPolicy.*Set its lifetimeDays to at most 1\.$/,
  })
})

it('the first start judges identifier URIs as Microsoft Graph does (entra E148)', () => {
  const uriRefused = { code: 'registrations_invalid', message: /InvalidUniqueTenantIdentifier/ }
  const read = (api: object, more: object = {}) => {
    const file = { ...JSON.parse(text), ...more }
    file.apis = [{ ...file.apis[0], ...api }]
    return () => readSeedRegistrations(JSON.stringify(file), 'some.json', defaults)
  }
  const identifierUris = ['api://orders']
  const withDomain = { identifierUris: ['api://orders.example/orders'] }
  const tenant = { domains: ['orders.example'] }
  const off = { policies: { defaultAppManagementPolicy: { isEnabled: false } } }
  assert.throws(read({ identifierUris }), uriRefused)
  assert.throws(read({ identifierUris, requestedAccessTokenVersion: 1 }), uriRefused)
  assert.doesNotThrow(read({ identifierUris, requestedAccessTokenVersion: 2 }))
  assert.throws(read(withDomain), uriRefused)
  assert.doesNotThrow(read(withDomain, { tenant }))
  assert.doesNotThrow(read({ identifierUris }, off))
  assert.throws(read({ identifierUris: ['https://else.example'] }, off), /HostNameNotOnVerified/)
})
