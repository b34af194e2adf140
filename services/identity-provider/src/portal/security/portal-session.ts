import { z } from 'zod'
import type { Directory } from '../../directory/directory.ts'

/** How long an administrator stays signed in, in seconds. */
export const sessionSeconds = 3600

/** An administrator application that is signed in. */
export const portalSession = z.strictObject({
  id: z.string(),
  tenantId: z.string(),
  applicationId: z.string(),
  /** The credential that signed in. The session ends with it. */
  credentialId: z.string(),
  expiresAt: z.iso.datetime().transform((text) => new Date(text)),
})

export type PortalSession = z.output<typeof portalSession>

/**
 * Whether a session may continue: its time is not over, and the tenant, the application, its service
 * principal and the credential are still valid. Its credential may be one of the service principal.
 */
export function isSessionValid(directory: Directory, session: PortalSession, now: Date): boolean {
  if (session.expiresAt <= now) return false
  const principal = directory.servicePrincipalByAppId(session.tenantId, session.applicationId)
  const application = directory.applicationByAppId(session.applicationId)
  const isEnabled = directory.tenant(session.tenantId)?.isEnabled && principal?.accountEnabled
  if (!isEnabled || !application?.passwordAuthenticationAllowed) return false
  const secrets = [...application.passwordCredentials, ...principal.passwordCredentials]
  const credential = secrets.find(({ keyId }) => keyId === session.credentialId)
  return credential !== undefined && credential.endDateTime > now
}
