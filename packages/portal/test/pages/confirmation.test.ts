import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ServerEnv } from '@greeting/http-service'
import { Hono } from 'hono'
import type { AdministratorRequest } from '../../src/graph/administrator-request.ts'
import { readConfirmation } from '../../src/pages/sign-in.ts'
import type { PortalHost } from '../../src/portal-host.ts'
import { createLinkCode } from '../../src/security/one-time-link.ts'
import { SealedValues } from '../../src/security/portal-sessions.ts'
import { testHost } from '../test-host.ts'

const administrator = { tenantId: 'tenant', applicationId: 'administrator', credentialId: 'secret' }

describe('the confirmation of a change with a link (AS47)', () => {
  for (const [whose, over, isAccepted, uses] of [
    ['of the administrator', {}, true, 1],
    ['of the administrator, with another secret', { credentialId: 'other' }, true, 1],
    ['of another administrator', { applicationId: 'other' }, false, 0],
    ['of the same application in another tenant', { tenantId: 'other' }, false, 0],
  ] as const) {
    it(`${isAccepted ? 'accepts and uses up' : 'refuses without using up'} a link ${whose}`, async () => {
      const sealed = new SealedValues(testHost)
      const code = createLinkCode(sealed, { ...administrator, ...over }, testHost)
      let used = 0
      const usedUp = {
        spend: async () => {
          used += 1
          return true
        },
        isSpent: async () => false,
      }
      const visit = {
        session: administrator,
        now: testHost.now(),
      } as unknown as AdministratorRequest
      const app = new Hono<ServerEnv>()
      app.get('/', async (context) => {
        const sent = new Map([['confirm_link', ` http://a.test/portal/link?code=${code} `]])
        const options = { usedUp } as unknown as PortalHost
        return context.json(await readConfirmation(options, sealed, visit, sent, context))
      })
      const read = (await (await app.request('/')).json()) as object
      assert.equal('credentialId' in read, isAccepted)
      assert.equal(used, uses)
    })
  }
})
