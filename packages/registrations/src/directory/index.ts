export {
  application,
  appRoleAssignment,
  type DirectoryState,
  inheritablePermission,
  isBlueprint,
  servicePrincipal,
} from './directory-state.ts'
export { type Located, locateById } from './locate.ts'
export { day } from './text.ts'
