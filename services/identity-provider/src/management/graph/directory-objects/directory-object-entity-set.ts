import type { Application } from '../../../directory/application/application.ts'
import type { ServicePrincipal } from '../../../directory/service-principal/service-principal.ts'
import type { EntitySet } from '../../odata/entity-set.ts'
import { applications } from '../applications/application-entity-set.ts'
import { servicePrincipals } from '../service-principals/service-principal-entity-set.ts'

/** An object of the directory, of either type. */
export type DirectoryObject = Application | ServicePrincipal

const isApplication = (object: DirectoryObject): object is Application => 'identifierUris' in object

/** The type of an object in `@odata.type`. */
export const typeOf = (object: DirectoryObject): 'application' | 'servicePrincipal' =>
  isApplication(object) ? 'application' : 'servicePrincipal'

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
  typeOf: (object) => `#microsoft.graph.${typeOf(object)}`,
  properties: Object.fromEntries(
    [
      ...new Set([
        ...Object.keys(servicePrincipals.properties),
        ...Object.keys(applications.properties),
      ]),
    ].map((name) => [name, propertyOf(name)]),
  ),
}
