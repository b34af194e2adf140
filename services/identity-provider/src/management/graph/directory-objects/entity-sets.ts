import {
  type Application,
  type AppRoleAssignment,
  applicationProperties,
  appRoleAssignmentProperties,
  credentialName,
  type Directory,
  type FederatedIdentityCredential,
  federatedCredentialProperties,
  type ServicePrincipal,
  type ShownProperty,
  servicePrincipalProperties,
  shownProperties,
} from '@greeting/directory'
import type { EntitySet, EntityView, Expansions } from '../../odata/entity-set.ts'
import { hasRoles } from '../../privileges/caller.ts'
import {
  type AgentType,
  agentAccess,
  agentTypes,
  readsApplications,
  readsPeople,
} from '../../privileges/graph-roles.ts'
import { activeOwners, activeServicePrincipal } from './find-object.ts'
import {
  type AnyObject,
  type DirectoryObject,
  isApplication,
  isUser,
  typeOf,
} from './object-type.ts'
import { users } from './user.ts'

/** The type of an agent object; undefined for an ordinary one. */
const agentTypeOf = (object: DirectoryObject, { directory }: EntityView) => {
  const type = typeOf(object, directory)
  return Object.hasOwn(agentTypes, type) ? (type as AgentType) : undefined
}

export const applications: EntitySet<Application> = {
  name: 'applications',
  type: 'application',
  typeOf: agentTypeOf,
  keyOf: ({ id }) => id,
  markOf: ({ id }, { directory }) => directory.markOf('application', id),
  credentialsOf: (one) =>
    [...one.passwordCredentials, ...one.keyCredentials].map(({ keyId }) =>
      credentialName(one, keyId),
    ),
  properties: shownProperties(applicationProperties),
  // As recorded (entra E361).
  firstInBeta:
    'id deletedDateTime appId applicationTemplateId identifierUris createdByAppId createdDateTime description disabledByMicrosoftStatus displayName isDeviceOnlyAuthSupported isFallbackPublicClient groupMembershipClaims nativeAuthenticationApisEnabled notes publisherDomain signInAudience tags',
}

export const servicePrincipals: EntitySet<ServicePrincipal> = {
  name: 'servicePrincipals',
  type: 'servicePrincipal',
  typeOf: agentTypeOf,
  keyOf: ({ id }) => id,
  markOf: ({ id }, { directory }) => directory.markOf('servicePrincipal', id),
  credentialsOf: ({ appId, keyCredentials, passwordCredentials }, { directory }) => {
    const application = directory.applicationByAppId(appId)
    return application === undefined
      ? []
      : [...passwordCredentials, ...keyCredentials].map(({ keyId }) =>
          credentialName(application, keyId),
        )
  },
  properties: shownProperties(servicePrincipalProperties),
}

export const appRoleAssignments: EntitySet<AppRoleAssignment> = {
  name: 'appRoleAssignments',
  type: 'appRoleAssignment',
  keyOf: ({ id }) => id,
  markOf: ({ id }, { directory }) => directory.markOf('appRoleAssignment', id),
  properties: shownProperties(appRoleAssignmentProperties),
}

const filterable = new Set(['id', 'displayName', 'appId'])

const setOf = (object: AnyObject) =>
  isUser(object) ? users : isApplication(object) ? applications : servicePrincipals

/**
 * The property of every type, with the value for the type of an object. Of an object that the caller may not
 * read, only the ID and the type are shown, as in Microsoft Graph.
 */
function propertyOf(name: string): EntitySet<AnyObject>['properties'][string] {
  const first =
    applications.properties[name] ?? servicePrincipals.properties[name] ?? users.properties[name]
  return {
    type: first?.type ?? 'Edm.String',
    ...(filterable.has(name) ? { filter: 'value' } : {}),
    ...(first?.isSelectedOnly ? { isSelectedOnly: true } : {}),
    show: (object, view) => {
      const row: ShownProperty<never, Directory> | undefined = setOf(object).properties[name]
      if (row === undefined || (row.isSelectedOnly && !view.selected)) return undefined
      return name === 'id' || mayRead(object, view) ? row.show(object as never, view) : null
    },
  }
}

function mayRead(object: AnyObject, view: EntityView): boolean {
  const { roles = [] } = view.caller ?? {}
  if (isUser(object)) return hasRoles(roles, readsPeople)
  if (hasRoles(roles, readsApplications)) return true
  const type = agentTypeOf(object, view)
  return type !== undefined && hasRoles(roles, agentAccess(type, 'read'))
}

/**
 * Applications, service principals and users in one entity set. Each object has only the properties
 * of its type, because JSON omits the others.
 *
 * @see https://learn.microsoft.com/graph/api/resources/directoryobject
 */
export const directoryObjects: EntitySet<AnyObject> = {
  name: 'directoryObjects',
  type: 'directoryObject',
  keyOf: ({ id }) => id,
  typeOf: (object, { directory }) => typeOf(object, directory),
  properties: Object.fromEntries(
    [servicePrincipals, applications, users]
      .flatMap(({ properties }) => Object.keys(properties))
      .map((name) => [name, propertyOf(name)]),
  ),
}

const owners: Expansions<Application | ServicePrincipal> = {
  owners: {
    set: directoryObjects,
    find: (one, { directory }) => activeOwners(directory, one.tenantId, one.ownerIds),
  },
}

/** Microsoft Graph's entity set of an application's federated identity credentials. */
export const federatedIdentityCredentials: EntitySet<FederatedIdentityCredential> = {
  name: 'federatedIdentityCredentials',
  type: 'federatedIdentityCredential',
  keyOf: ({ id }) => id,
  properties: federatedCredentialProperties,
}

/** The related objects that `$expand` adds to an application. */
export const applicationExpansions: Expansions<Application> = {
  ...owners,
  federatedIdentityCredentials: {
    set: federatedIdentityCredentials,
    find: (application) => application.federatedIdentityCredentials,
  },
}

/** The assignments of a service principal whose other side is not deleted. */
const assignments = (
  found: 'assignmentsOf' | 'assignmentsTo',
  other: 'principalId' | 'resourceId',
): Expansions<ServicePrincipal>[string] => ({
  set: appRoleAssignments,
  find: ({ id, tenantId }, { directory }) =>
    directory[found](id).filter((one) => activeServicePrincipal(directory, tenantId, one[other])),
})

/** The related objects that `$expand` adds to a service principal. */
export const principalExpansions: Expansions<ServicePrincipal> = {
  ...owners,
  appRoleAssignments: assignments('assignmentsOf', 'resourceId'),
  appRoleAssignedTo: assignments('assignmentsTo', 'principalId'),
}
