import type { AppRole } from '../../../directory/app-role.ts'

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
