import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  createPassword,
  graphAppId,
  put,
  serverManagementAppId,
  systemRuntime,
} from '@greeting/directory'
import { DirectoryIndex } from '../../../../test/fixtures/directory/directory-index.ts'
import {
  application,
  appRole,
  appRoleAssignment,
  guid,
  servicePrincipal,
  tenant,
} from '../../../../test/fixtures/directory/sample.ts'
import { isAdministrator } from '../../src/portal-host/administrator-sign-in.ts'

const now = new Date('2030-01-01T00:00:00Z')
const later = new Date(now.getTime() + 3)
const secretUntil = (endDateTime: Date) => ({
  ...createPassword({}, systemRuntime).credential,
  endDateTime,
})
const secret = secretUntil(later)
const administrator = {
  tenantId: tenant().id,
  applicationId: application().appId,
  credentialId: secret.keyId,
}
const api = (appId: string) => ({
  api: application({ id: guid(0xd), appId, appRoles: [appRole()] }),
  apiPrincipal: servicePrincipal({ id: guid(0xe), appId }),
})

describe('a portal session of an administrator', () => {
  const all = {
    tenant: tenant(),
    application: application({ passwordCredentials: [secret] }),
    servicePrincipal: servicePrincipal(),
    ...api(graphAppId),
    assignment: appRoleAssignment({ principalId: servicePrincipal().id, resourceId: guid(0xe) }),
  }
  function directoryOf(objects: typeof all) {
    const directory = new DirectoryIndex()
    const { tenant, application, servicePrincipal, ...management } = objects
    const changes = [
      put('tenant', tenant),
      put('application', application),
      put('servicePrincipal', servicePrincipal),
      put('application', management.api),
      put('servicePrincipal', management.apiPrincipal),
      put('appRoleAssignment', management.assignment),
    ]
    directory.apply(
      1,
      changes.map((change) => ({ ...change, mark: 'mark 1' })),
    )
    return directory
  }
  const rows: readonly [string, boolean, Partial<typeof all>][] = [
    ['with a secret of the application continues', true, {}],
    [
      'with a secret of the service principal continues',
      true,
      {
        application: application(),
        servicePrincipal: servicePrincipal({ passwordCredentials: [secret] }),
      },
    ],
    ['with a role of the management API continues', true, api(serverManagementAppId)],
    ['ends when its last role is of another API', false, api(guid(0xf))],
    [
      'ends when its last role is withdrawn',
      false,
      { assignment: appRoleAssignment({ principalId: guid(0x99), resourceId: guid(0xe) }) },
    ],
    [
      'ends when its last role is disabled',
      false,
      {
        api: application({
          id: guid(0xd),
          appId: graphAppId,
          appRoles: [appRole({ isEnabled: false })],
        }),
      },
    ],
    ['ends when its tenant is disabled', false, { tenant: tenant({ isEnabled: false }) }],
    [
      'ends when its service principal is disabled',
      false,
      { servicePrincipal: servicePrincipal({ accountEnabled: false }) },
    ],
    ['ends when its secret is removed', false, { application: application() }],
    [
      'ends when its secret expires',
      false,
      {
        application: application({
          passwordCredentials: [{ ...secretUntil(now), keyId: secret.keyId }],
        }),
      },
    ],
    [
      'ends when its application may no longer use secrets',
      false,
      {
        application: application({
          passwordCredentials: [secret],
          passwordAuthenticationAllowed: false,
        }),
      },
    ],
  ]
  for (const [name, expected, objects] of rows) {
    it(`${name} (AS39)`, () => {
      const directory = directoryOf({ ...all, ...objects })
      assert.equal(isAdministrator(directory, administrator, now), expected)
    })
  }
})
