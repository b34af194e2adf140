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

/** Whether the administrator proved its identity a short time ago, also by the clock of another replica. */
export const isConfirmed = ({ confirmedAt }: PortalSession, now: Date): boolean =>
  Math.abs(now.getTime() - confirmedAt.getTime()) < confirmationSeconds * 1000
