import { z } from 'zod'
import { bodyCollection, guid, text } from '../properties/forms.ts'
import { complexType } from '../properties/property.ts'

/** A permission that an API declares. Its value appears in the claim `roles`. */
export type AppRole = {
  /** A GUID in lower case, from the declaration. */
  readonly id: string
  readonly allowedMemberTypes: readonly ('Application' | 'User')[]
  readonly description: string
  readonly displayName: string
  readonly isEnabled: boolean
  /** The value in the claim `roles`; null for a role that adds nothing to the claim. */
  readonly value: string | null
}

/** A role in Microsoft Graph, with all members of a manifest. */
export const appRoleType = complexType('appRole', {
  allowedMemberTypes: {
    type: 'Collection(Edm.String)',
    body: bodyCollection(z.enum(['Application', 'User']), 2),
  },
  description: { body: text(1024), filter: 'value' },
  displayName: { body: text(), filter: 'value' },
  id: { body: guid, filter: 'value', isKey: true },
  isEnabled: { type: 'Edm.Boolean', body: z.boolean().default(true), filter: 'value' },
  lang: { body: z.null().optional(), filter: 'value' },
  origin: { body: z.literal('Application').optional(), filter: 'value' },
  value: { body: text().nullish(), filter: 'value' },
})

/**
 * An app role with all eight members of a manifest, in the same order. Graph omits `lang`. With
 * it, the section `appRoles` of a manifest can be written back unchanged.
 */
export const appRoleJson = (role: AppRole) => ({
  allowedMemberTypes: role.allowedMemberTypes,
  description: role.description,
  displayName: role.displayName,
  id: role.id,
  isEnabled: role.isEnabled,
  lang: null,
  origin: 'Application',
  value: role.value,
})
