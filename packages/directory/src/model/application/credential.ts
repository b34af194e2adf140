import { z } from 'zod'
import { dateTime, guid, text } from '../properties/forms.ts'
import type { PropertyView } from '../properties/property.ts'

type Identified = { readonly id: string }

/**
 * The ID of a credential on the whole server. The owner of an application chooses the `keyId` of a
 * certificate, so another application may have the same `keyId`.
 */
export const credentialName = ({ id }: Identified, keyId: string): string => `${id}/${keyId}`

/** The last use of a credential; undefined when it is not known. */
export const lastUseOf = (
  application: Identified | undefined,
  { keyId }: { readonly keyId: string },
  { lastUses }: Pick<PropertyView<never>, 'lastUses'>,
): Date | undefined => application && lastUses.get(credentialName(application, keyId))

/** The members that secrets and certificates have in Microsoft Graph. */
export const credentialMembers = {
  customKeyIdentifier: { type: 'Edm.Binary', body: z.string().nullish(), filter: 'value' },
  displayName: { body: text().nullish(), filter: 'value' },
  endDateTime: { type: 'Edm.DateTimeOffset', body: dateTime.nullish(), filter: 'time' },
  keyId: { type: 'Edm.Guid', body: guid.optional(), filter: 'value', isKey: true },
  startDateTime: { type: 'Edm.DateTimeOffset', body: dateTime.nullish(), filter: 'time' },
} as const

/** The last use of a credential, which is an addition to Microsoft Graph. */
export const lastUsedDateTime = {
  type: 'Edm.DateTimeOffset',
  body: z.string().nullish(),
} as const
