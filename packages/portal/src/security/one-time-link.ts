import { z } from 'zod'
import type { Administrator, PortalHost } from '../portal-host.ts'
import type { SealedValues } from './portal-sessions.ts'

/** How long a link can be used, in seconds. */
export const linkSeconds = 60

const purpose = 'one-time link of the portal'
const linkContent = z.strictObject({
  id: z.string(),
  tenantId: z.string(),
  applicationId: z.string(),
  credentialId: z.string(),
  expiresAt: z.iso.datetime().transform((text) => new Date(text)),
})

/** The code of a link that signs this administrator in, once. */
export const createLinkCode = (
  sealed: SealedValues,
  { tenantId, applicationId, credentialId }: Administrator,
  { newGuid, now }: Pick<PortalHost, 'newGuid' | 'now'>,
): string =>
  sealed.seal(purpose, {
    id: newGuid(),
    tenantId,
    applicationId,
    credentialId,
    expiresAt: new Date(now().getTime() + linkSeconds * 1000).toISOString(),
  })

/** The administrator of a code that has not expired. It does not use the code up. */
export function readLinkCode(sealed: SealedValues, code: string, now: Date) {
  const link = sealed.open(purpose, code, linkContent)
  return link !== undefined && link.expiresAt > now ? link : undefined
}

const nameOfUse = (id: string) => `portal-link:${id}`

/** Whether a code was used up. */
export const isSpent = (
  { applicationId, id }: z.output<typeof linkContent>,
  used: PortalHost['usedUp'],
): Promise<boolean> => used.isSpent(applicationId, nameOfUse(id))

/**
 * Uses a code up.
 *
 * @returns the administrator; undefined when the code is invalid, has expired or was used, also on
 *   another replica
 * @throws {StorageUnavailableError} storage_unavailable when the use cannot be recorded
 */
export async function spendLinkCode(
  sealed: SealedValues,
  code: string,
  now: Date,
  used: PortalHost['usedUp'],
): Promise<Administrator | undefined> {
  const link = readLinkCode(sealed, code, now)
  if (link === undefined) return undefined
  const isFirst = await used.spend(link.applicationId, nameOfUse(link.id), link.expiresAt)
  return isFirst ? link : undefined
}
