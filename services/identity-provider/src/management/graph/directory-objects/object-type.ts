import type { Application, Directory, ServicePrincipal } from '@greeting/directory'
import type { RequestCall } from '../../operations/operation.ts'
import type { AgentType } from '../../privileges/graph-roles.ts'
import type { User } from './user.ts'

/** An object of the directory, of either type. */
export type DirectoryObject = Application | ServicePrincipal

/** An object of the directory, or a user. */
export type AnyObject = DirectoryObject | User

export const isUser = (object: AnyObject): object is User => 'userPrincipalName' in object

export const isApplication = (object: AnyObject): object is Application =>
  'identifierUris' in object

/** The type of an object, ignoring agents. */
export const baseTypeOf = (object: AnyObject) =>
  isUser(object) ? 'user' : isApplication(object) ? 'application' : 'servicePrincipal'

const castTo = (type: string) => `/microsoft.graph.${type}`

/** The path suffixes of a list whose objects have several types: their casts, and the number of objects. */
export const endsOfList = (...types: readonly string[]): readonly string[] => [
  '/$count',
  ...types.flatMap((type) => [castTo(type), `${castTo(type)}/$count`]),
]

/** True if the suffix of a list's path requests objects of a type. */
export const isAsked = (
  { parameters: { end = '' } }: Pick<RequestCall, 'parameters'>,
  type: string,
) => ['', castTo(type)].includes(end.replace('/$count', ''))

/** The Microsoft Graph type of an object, without its namespace. */
export function typeOf(
  object: AnyObject,
  directory: Pick<Directory, 'applicationByAppId'>,
): AgentType | ReturnType<typeof baseTypeOf> {
  if (isUser(object)) return 'user'
  if (isApplication(object)) return object.blueprint ? 'agentIdentityBlueprint' : 'application'
  if (object.agentIdentityBlueprintId !== null) return 'agentIdentity'
  const application = directory.applicationByAppId(object.appId)
  return application?.blueprint ? 'agentIdentityBlueprintPrincipal' : 'servicePrincipal'
}
