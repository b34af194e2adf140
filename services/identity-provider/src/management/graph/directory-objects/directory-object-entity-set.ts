import type { Application } from '../../../directory/application/application.ts'
import type { ServicePrincipal } from '../../../directory/service-principal/service-principal.ts'
import type { EntitySet, EntityView } from '../../odata/entity-set.ts'
import { applications } from '../applications/application-entity-set.ts'
import { servicePrincipals } from '../service-principals/service-principal-entity-set.ts'

/** An object of the directory, of either type. */
export type DirectoryObject = Application | ServicePrincipal

type PropertyReader = (object: DirectoryObject, view: EntityView) => unknown

const isApplication = (object: DirectoryObject): object is Application => 'identifierUris' in object

/** The type of an object in `@odata.type`. */
export const typeOf = (object: DirectoryObject): 'application' | 'servicePrincipal' =>
  isApplication(object) ? 'application' : 'servicePrincipal'

const readers = (name: string): PropertyReader => {
  const [ofApplication, ofPrincipal] = [
    applications.properties[name],
    servicePrincipals.properties[name],
  ]
  return (object, view) =>
    isApplication(object) ? ofApplication?.(object, view) : ofPrincipal?.(object, view)
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
  filterable: { id: 'value', displayName: 'value', appId: 'value' },
  properties: Object.fromEntries(
    [
      ...new Set([
        ...Object.keys(servicePrincipals.properties),
        ...Object.keys(applications.properties),
      ]),
    ].map((name) => [name, readers(name)]),
  ),
}
