// Folder: Queries and answers of OData, from the table of properties of a set.

import type { Directory, PropertyView, ShownProperty } from '@greeting/directory'
import type { ManagementCaller } from '../privileges/caller.ts'

/** The context of a response, on which the shown properties of an object depend. */
export type EntityView = PropertyView<Directory> & {
  /** Without it, only the IDs of related objects are shown. */
  readonly caller?: Pick<ManagementCaller, 'roles'>
  readonly rootUrl?: string
}

/** The related objects that `$expand` adds to an object, by property. */
export type Expansions<Entity> = {
  readonly [property: string]: {
    /** Of the related objects. */
    readonly set: EntitySet<never>
    readonly find: (entity: Entity, view: EntityView) => readonly object[]
  }
}

/** An OData entity set, with the table of its properties. */
export type EntitySet<Entity> = {
  /** The segment of the set in paths and in `@odata.context`. */
  readonly name: string
  /** The type of the objects, without namespace. */
  readonly type: string
  readonly keyOf: (entity: Entity) => string
  /** The `@odata.type` of an object, unless it is that of the set. */
  readonly typeOf?: (entity: Entity, view: EntityView) => string | undefined
  /** In the order of the answer. */
  readonly properties: Readonly<Record<string, ShownProperty<Entity, Directory>>>
  /** The first properties of a response of the beta version, in order. */
  readonly firstInBeta?: string
  /** Undefined for objects without an entity tag. */
  readonly markOf?: (entity: Entity, view: EntityView) => string | undefined
  /** The names of the credentials whose last use is shown. */
  readonly credentialsOf?: (entity: Entity, view: EntityView) => readonly string[]
}

/** The exact name of a property, which a query may write in any case; undefined if it does not exist. */
export function propertyNamed(
  name: string,
  { properties }: { readonly properties: Readonly<Record<string, unknown>> },
): string | undefined {
  if (Object.hasOwn(properties, name)) return name
  const lower = name.toLowerCase()
  return Object.keys(properties).find((property) => property.toLowerCase() === lower)
}

const maxNameLength = 100

/** Graph's sentence about a property that a query names and no object has. */
export const unknownProperty = (name: string, { type }: { readonly type: string }) =>
  `Could not find a property named '${name.slice(0, maxNameLength)}' on type 'microsoft.graph.${type}'.`
