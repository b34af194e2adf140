import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { ServerEnv } from '../../http/request-header.ts'
import { type PortalSession, portalSession, sessionSeconds } from './portal-session.ts'
import type { SealedValues } from './sealed-values.ts'

const name = 'greeting-portal'
const purpose = 'portal session'
/** Browsers accept `Secure` and `__Host-` over plain HTTP on loopback, which they trust. */
const options = { path: '/', secure: true, httpOnly: true, sameSite: 'Strict' } as const

/** The session in the cookie of a request; undefined without a cookie that this server made. */
export function readSession(
  context: Context<ServerEnv>,
  sealed: SealedValues,
): PortalSession | undefined {
  const text = getCookie(context, name, 'host')
  return text === undefined ? undefined : sealed.open(purpose, text, portalSession)
}

/** Sets the cookie of a new session. The session ID is new at each sign-in. */
export function writeSession(
  context: Context<ServerEnv>,
  sealed: SealedValues,
  session: PortalSession,
): void {
  const value = sealed.seal(purpose, { ...session, expiresAt: session.expiresAt.toISOString() })
  setCookie(context, name, value, { ...options, prefix: 'host', maxAge: sessionSeconds })
}

/** Removes the cookie. */
export function removeSession(context: Context<ServerEnv>): void {
  deleteCookie(context, name, { ...options, prefix: 'host' })
}
