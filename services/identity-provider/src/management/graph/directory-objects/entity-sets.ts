import {
  type Application,
  type AppRoleAssignment,
  applicationProperties,
  appRoleAssignmentProperties,
  credentialName,
  type ServicePrincipal,
  servicePrincipalProperties,
  shownProperties,
} from '@greeting/directory'
import type { EntitySet, EntityView, Expansions } from '../../odata/entity-set.ts'
import { entityJson } from '../../odata/show-entity.ts'
import { agentTypes } from '../../privileges/graph-roles.ts'
import { activeOwners, activeServicePrincipal } from './find-object.ts'
import { type DirectoryObject, isApplication, typeOf } from './object-type.ts'

/** The type of an agent object; undefined for an ordinary one. */
const agentTypeOf = (object: DirectoryObject, { directory }: EntityView) => {
  const type = typeOf(object, directory)
  return Object.hasOwn(agentTypes, type) ? type : undefined
}

/** The applications of Microsoft Graph. */
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
}

/** The service principals of Microsoft Graph. */
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

/** The app role assignments of Microsoft Graph. */
export const appRoleAssignments: EntitySet<AppRoleAssignment> = {
  name: 'appRoleAssignments',
  type: 'appRoleAssignment',
  keyOf: ({ id }) => id,
  markOf: ({ id }, { directory }) => directory.markOf('appRoleAssignment', id),
  properties: shownProperties(appRoleAssignmentProperties),
}

const filterable = new Set(['id', 'displayName', 'appId'])

/** The property of either type, with the value for the type of an object. */
function propertyOf(name: string): EntitySet<DirectoryObject>['properties'][string] {
  const [ofApplication, ofPrincipal] = [
    applications.properties[name],
    servicePrincipals.properties[name],
  ]
  return {
    type: ofApplication?.type ?? ofPrincipal?.type ?? 'Edm.String',
    ...(filterable.has(name) ? { filter: 'value' } : {}),
    ...(ofApplication?.isSelectedOnly ? { isSelectedOnly: true } : {}),
    show: (object, view) =>
      isApplication(object) ? ofApplication?.show(object, view) : ofPrincipal?.show(object, view),
  }
}

/**
 * Applications and service principals as objects of one set. Each has the properties of its own type,
 * because JSON omits the others.
 *
 * @see https://learn.microsoft.com/graph/api/resources/directoryobject
 */
export const directoryObjects: EntitySet<DirectoryObject> = {
  name: 'directoryObjects',
  type: 'directoryObject',
  keyOf: ({ id }) => id,
  typeOf: (object, { directory }) => typeOf(object, directory),
  properties: Object.fromEntries(
    [
      ...new Set([
        ...Object.keys(servicePrincipals.properties),
        ...Object.keys(applications.properties),
      ]),
    ].map((name) => [name, propertyOf(name)]),
  ),
}

const owners: Expansions<Application | ServicePrincipal> = {
  owners: ({ ownerIds, tenantId }, view) =>
    activeOwners(view.directory, tenantId, ownerIds).map((owner) =>
      entityJson(owner, directoryObjects, { ...view, selected: undefined }),
    ),
}

/** The related objects that `$expand` adds to an application. */
export const applicationExpansions: Expansions<Application> = owners

/** The related objects that `$expand` adds to a service principal. */
export const principalExpansions: Expansions<ServicePrincipal> = {
  ...owners,
  appRoleAssignments: ({ id, tenantId }, view) =>
    view.directory
      .assignmentsOf(id)
      .filter(
        ({ resourceId }) =>
          activeServicePrincipal(view.directory, tenantId, resourceId) !== undefined,
      )
      .slice(0, 20)
      .map((one) => entityJson(one, appRoleAssignments, { ...view, selected: undefined })),
}
