import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { put } from '../../../src/directory/directory-change.ts'
import { createPassword } from '../../../src/directory/password-credential.ts'
import { systemRuntime } from '../../../src/directory/runtime.ts'
import { isSessionValid } from '../../../src/portal/security/portal-session.ts'
import { application, servicePrincipal, tenant } from '../../directory/sample.ts'
import { DirectoryIndex } from '../../fakes/directory-index.ts'

const now = new Date('2030-01-01T00:00:00Z')
const later = new Date(now.getTime() + 1)
const secretUntil = (endDateTime: Date) => ({
  ...createPassword({}, systemRuntime).credential,
  endDateTime,
})
const secret = secretUntil(later)
const session = {
  ...{ id: 'one', tenantId: tenant().id, applicationId: application().appId },
  ...{ credentialId: secret.keyId, expiresAt: later },
}

describe('a session of the portal', () => {
  const all = {
    tenant: tenant(),
    application: application({ passwordCredentials: [secret] }),
    servicePrincipal: servicePrincipal(),
  }
  const rows: readonly [string, boolean, Partial<typeof all>, Partial<typeof session>][] = [
    ['with a secret of the application continues', true, {}, {}],
    [
      'with a secret of the service principal continues',
      true,
      {
        application: application(),
        servicePrincipal: servicePrincipal({ passwordCredentials: [secret] }),
      },
      {},
    ],
    ['ends at its time', false, {}, { expiresAt: now }],
    ['ends when its tenant is disabled', false, { tenant: tenant({ isEnabled: false }) }, {}],
    [
      'ends when its service principal is disabled',
      false,
      { servicePrincipal: servicePrincipal({ accountEnabled: false }) },
      {},
    ],
    ['ends when its secret is removed', false, { application: application() }, {}],
    [
      'ends when its secret ends',
      false,
      {
        application: application({
          passwordCredentials: [{ ...secretUntil(now), keyId: secret.keyId }],
        }),
      },
      {},
    ],
    [
      'ends when its application may not use secrets any more',
      false,
      {
        application: application({
          passwordCredentials: [secret],
          passwordAuthenticationAllowed: false,
        }),
      },
      {},
    ],
  ]
  for (const [name, expected, objects, part] of rows) {
    it(`${name} (AS39)`, () => {
      const directory = new DirectoryIndex()
      const { tenant, application, servicePrincipal } = { ...all, ...objects }
      const changes = [
        put('tenant', tenant),
        put('application', application),
        put('servicePrincipal', servicePrincipal),
      ]
      directory.apply(
        1,
        changes.map((change) => ({ ...change, revision: 1 })),
      )
      assert.equal(isSessionValid(directory, { ...session, ...part }, now), expected)
    })
  }
})
