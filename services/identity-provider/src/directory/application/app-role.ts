import type { MemberObjects } from '../properties/property.ts'

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

/** The members of a role in Microsoft Graph. */
export const appRoleMembers: MemberObjects = {
  type: 'appRole',
  members: {
    id: 'value',
    value: 'value',
    displayName: 'value',
    description: 'value',
    isEnabled: 'value',
    origin: 'value',
    lang: 'value',
    allowedMemberTypes: 'unsupported',
  },
}

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
