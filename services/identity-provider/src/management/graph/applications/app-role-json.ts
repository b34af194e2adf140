import type { AppRole } from '../../../directory/app-role.ts'

/**
 * A role with all eight members of a manifest's entry, in its order. Graph leaves `lang` out; with
 * it, the section `appRoles` of a manifest can be read here and written back as it is.
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
