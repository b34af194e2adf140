import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ServerEnv } from '@greeting/http-service'
import { Hono } from 'hono'
import {
  isConfirmed,
  PortalSessions,
  SealedValues,
  sessionSeconds,
} from '../../src/security/portal-sessions.ts'
import { testHost } from '../test-host.ts'

const now = new Date('2030-01-01T00:00:00Z')
const administrator = { tenantId: 'tenant', applicationId: 'administrator', credentialId: 'secret' }

/** Begins a session, and looks for it after some time. */
async function findAfter(elapsedMs: number, over: Partial<typeof testHost> & WentBack = {}) {
  let at = now
  const host = { ...testHost, now: () => at, ...over }
  const sessions = new PortalSessions(host, new SealedValues(host))
  const app = new Hono<ServerEnv>()
  app.get('/sign-in', (context) => context.text(sessions.begin(context, administrator).key))
  app.get('*', async (context) => {
    const found = await sessions.find(context)
    return context.text(typeof found === 'string' ? found : 'found')
  })
  const signedIn = await app.request('/sign-in')
  const cookie = signedIn.headers.getSetCookie().join('; ')
  at = new Date(now.getTime() + elapsedMs)
  const path = `/portal/s-${await signedIn.text()}`
  return (await app.request(path, { headers: { cookie } })).text()
}

type WentBack = { readonly storeWentBackAt?: () => Date }

describe('a portal session', () => {
  for (const [elapsedMs, expected] of [
    [sessionSeconds * 1000 - 1, 'found'],
    [sessionSeconds * 1000, 'ended'],
  ] as const) {
    it(`is ${expected} ${elapsedMs} ms after its start (AS39)`, async () => {
      assert.equal(await findAfter(elapsedMs), expected)
    })
  }

  it('ends if its administrator loses the management roles (AS39)', async () => {
    assert.equal(await findAfter(1, { isAdministrator: async () => false }), 'ended')
  })

  for (const [seconds, expected] of [
    [0, true],
    [599, true],
    [600, false],
    [-599, true],
    [-600, false],
  ] as const) {
    it(`${expected ? 'may' : 'may not'} make changes ${seconds} s after its proof (AS47)`, () => {
      const session = { id: 'one', key: 'key', ...administrator, expiresAt: now, confirmedAt: now }
      assert.equal(isConfirmed(session, new Date(now.getTime() + seconds * 1000)), expected)
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
    it(`${expected ? 'continues' : 'ends'} if the store was rolled back ${when} (AS46)`, async () => {
      const storeWentBackAt = () => new Date(now.getTime() + wentBackMs)
      assert.equal(await findAfter(2, { storeWentBackAt }), expected ? 'found' : 'ended')
    })
  }
})
