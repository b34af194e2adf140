import type { PropertyView } from '../properties/property.ts'

type Identified = { readonly id: string }

/**
 * Names a credential on the whole server. The owner of an application chooses the `keyId` of a certificate,
 * so another application may have the same `keyId`.
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
  keyId: 'value',
  displayName: 'value',
  startDateTime: 'time',
  endDateTime: 'time',
  customKeyIdentifier: 'value',
  lastUsedDateTime: 'unsupported',
} as const
