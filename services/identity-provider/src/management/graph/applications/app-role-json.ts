import type { AppRole } from '../../../directory/application/app-role.ts'
import type { MemberObjects } from '../../odata/entity-set.ts'

export const appRoles: MemberObjects = {
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
