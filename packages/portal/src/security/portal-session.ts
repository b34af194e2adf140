import type { Directory } from '@greeting/identity-provider/parts/directory/directory'
import {
  graphAppId,
  serverManagementAppId,
} from '@greeting/identity-provider/parts/directory/privileged-api-ids'
import type { Client } from '@greeting/identity-provider/parts/issuance/client'
import { grantedRoles } from '@greeting/identity-provider/parts/issuance/granted-roles'
import { z } from 'zod'

/** How long an administrator stays signed in, in seconds. */
export const sessionSeconds = 3600

/** How long a session may make changes after the administrator proved its identity, in seconds. */
export const confirmationSeconds = 600

const date = z.iso.datetime().transform((text) => new Date(text))

/** An administrator application that is signed in. */
export const portalSession = z.strictObject({
  id: z.string(),
  /** It is in the path of each page. A cookie alone opens nothing. */
  key: z.string(),
  tenantId: z.string(),
  applicationId: z.string(),
  /** The credential that signed in. The session ends with it. */
  credentialId: z.string(),
  expiresAt: date,
  /** When the administrator last proved its identity. */
  confirmedAt: date,
})

export type PortalSession = z.output<typeof portalSession>

/**
 * Whether a session may continue: its time is not over, and the tenant, the application, its service
 * principal, the credential and a management role are still valid. Its credential may be one of the
 * service principal.
 */
export function isSessionValid(directory: Directory, session: PortalSession, now: Date): boolean {
  if (session.expiresAt <= now) return false
  const principal = directory.servicePrincipalByAppId(session.tenantId, session.applicationId)
  const application = directory.applicationByAppId(session.applicationId)
  const isEnabled = directory.tenant(session.tenantId)?.isEnabled && principal?.accountEnabled
  if (!isEnabled || !application?.passwordAuthenticationAllowed) return false
  const secrets = [...application.passwordCredentials, ...principal.passwordCredentials]
  const credential = secrets.find(({ keyId }) => keyId === session.credentialId)
  if (credential === undefined || credential.endDateTime <= now) return false
  return [graphAppId, serverManagementAppId].some((appId) =>
    hasRole(directory, session.tenantId, { application, principal }, appId),
  )
}

/** Whether the administrator proved its identity a short time ago, also by the clock of another replica. */
export const isConfirmed = ({ confirmedAt }: PortalSession, now: Date): boolean =>
  Math.abs(now.getTime() - confirmedAt.getTime()) < confirmationSeconds * 1000

function hasRole(directory: Directory, tenantId: string, client: Client, appId: string): boolean {
  const principal = directory.servicePrincipalByAppId(tenantId, appId)
  const application = directory.applicationByAppId(appId)
  if (!application || !principal?.accountEnabled) return false
  const roles = grantedRoles(directory, client, { requestedAs: appId, application, principal })
  return Array.isArray(roles) && roles.length > 0
}
