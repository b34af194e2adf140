import type { Application, Directory, ServicePrincipal } from '@greeting/directory'
import type { AgentType } from '../../privileges/graph-roles.ts'

/** An object of the directory, of either type. */
export type DirectoryObject = Application | ServicePrincipal

export const isApplication = (object: DirectoryObject): object is Application =>
  'identifierUris' in object

/** The type of an object, without regard to agents. */
export const baseTypeOf = (object: DirectoryObject) =>
  isApplication(object) ? 'application' : 'servicePrincipal'

/** The type of an object in Microsoft Graph, without namespace. */
export function typeOf(
  object: DirectoryObject,
  directory: Pick<Directory, 'applicationByAppId'>,
): AgentType | 'application' | 'servicePrincipal' {
  if (isApplication(object)) return object.blueprint ? 'agentIdentityBlueprint' : 'application'
  if (object.agentIdentityBlueprintId !== null) return 'agentIdentity'
  const application = directory.applicationByAppId(object.appId)
  return application?.blueprint ? 'agentIdentityBlueprintPrincipal' : 'servicePrincipal'
}
