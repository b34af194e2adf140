import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ServerEnv } from '@greeting/http-service'
import { isConfirmed, isSessionValid } from '@greeting/portal/parts/security/portal-session'
import { PortalSessions } from '@greeting/portal/parts/security/portal-sessions'
import { SealedValues } from '@greeting/portal/parts/security/sealed-values'
import { Hono } from 'hono'
import { createPassword } from '../../../src/directory/application/password-credential.ts'
import { put } from '../../../src/directory/directory-change.ts'
import { graphAppId, serverManagementAppId } from '../../../src/directory/privileged-api-ids.ts'
import { systemRuntime } from '../../../src/directory/runtime.ts'
import { KeyEncryptionKey } from '../../../src/signing/key-encryption-key.ts'
import {
  application,
  appRole,
  appRoleAssignment,
  guid,
  servicePrincipal,
  tenant,
} from '../../directory/sample.ts'
import { DirectoryIndex } from '../../fakes/directory-index.ts'

const now = new Date('2030-01-01T00:00:00Z')
const later = new Date(now.getTime() + 3)
const secretUntil = (endDateTime: Date) => ({
  ...createPassword({}, systemRuntime).credential,
  endDateTime,
})
const secret = secretUntil(later)
const session = {
  id: 'one',
  tenantId: tenant().id,
  applicationId: application().appId,
  credentialId: secret.keyId,
  expiresAt: later,
  key: 'key',
  confirmedAt: now,
}
const api = (appId: string) => ({
  api: application({ id: guid(0xd), appId, appRoles: [appRole()] }),
  apiPrincipal: servicePrincipal({ id: guid(0xe), appId }),
})

describe('a session of the portal', () => {
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
      changes.map((change) => ({ ...change, revision: 1 })),
    )
    return directory
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
    ['with a role of the management API continues', true, api(serverManagementAppId), {}],
    ['ends when its last role is of another API', false, api(guid(0xf)), {}],
    [
      'ends when its last role is withdrawn',
      false,
      { assignment: appRoleAssignment({ principalId: guid(0x99), resourceId: guid(0xe) }) },
      {},
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
      const directory = directoryOf({ ...all, ...objects })
      assert.equal(isSessionValid(directory, { ...session, ...part }, now), expected)
    })
  }

  for (const [seconds, expected] of [
    [0, true],
    [599, true],
    [600, false],
    [-599, true],
    [-600, false],
  ] as const) {
    it(`may make changes ${seconds} s after its proof: ${expected} (AS47)`, () => {
      const at = new Date(now.getTime() + seconds * 1000)
      assert.equal(isConfirmed(session, at), expected)
    })
  }

  for (const [wentBackMs, expected] of [
    [-1, true],
    [0, false],
    [1, false],
    // A clock that is not agreed: new sessions must not end at once.
    [1_000_000, true],
  ] as const) {
    const when = `${wentBackMs} ms after its proof`
    it(`${expected ? 'continues' : 'ends'} when the store went back ${when} (AS46)`, async () => {
      const directory = directoryOf(all)
      const ends = { spend: async () => true, isSpent: async () => false }
      const sealed = new SealedValues(KeyEncryptionKey.generate())
      let at = now
      const sessions = new PortalSessions(
        {
          assertionTimes: { clockToleranceSeconds: 60, maxLifetimeSeconds: 3600 },
          directory: { read: async (decide) => decide(directory) as never },
          source: { ...systemRuntime, now: () => at },
          storeWentBackAt: () => new Date(now.getTime() + wentBackMs),
        },
        sealed,
        ends,
      )
      const app = new Hono<ServerEnv>()
      app.get('/sign-in', (context) => context.text(sessions.begin(context, session).key))
      app.get('*', async (context) => {
        const found = await sessions.find(context)
        return context.text(typeof found === 'string' ? found : 'found')
      })
      const signedIn = await app.request('/sign-in')
      const cookie = signedIn.headers.getSetCookie().join('; ')
      at = new Date(now.getTime() + 2)
      const path = `/portal/s-${await signedIn.text()}`
      const answer = await app.request(path, { headers: { cookie } })
      assert.equal(await answer.text(), expected ? 'found' : 'ended')
    })
  }
})
