import type { ListIndex } from '../../storage/directory-list.ts'
import type { Call } from '../http/operation.ts'

/** The context that the shown properties of an object depend on. */
export type EntityView = Pick<Call, 'directory' | 'rootUrl'> & {
  /** The last use of each credential, by its name. */
  readonly lastUses: ReadonlyMap<string, Date>
  /** The properties in `$select`. */
  readonly selected: ReadonlySet<string> | undefined
}

/** A set of objects in OData, with a function that reads each property. */
export type EntitySet<Entity> = {
  /** The segment of the set in paths and in `@odata.context`. */
  readonly name: string
  /** The type of the objects, without namespace. */
  readonly type: string
  readonly keyOf: (entity: Entity) => string
  /** In the order of the answer. */
  readonly properties: Readonly<Record<string, (entity: Entity, view: EntityView) => unknown>>
  /** The properties that `$filter` supports. Graph does not index the others either. */
  readonly filterable: Readonly<Record<string, 'value' | 'collection'>>
  /** The properties that `startswith` supports. */
  readonly searchable?: readonly string[]
  /** The indexes of the store for comparisons with properties. */
  readonly indexes?: Readonly<Record<string, ListIndex>>
  /** Undefined for objects without an entity tag. */
  readonly revisionOf?: (entity: Entity, view: EntityView) => number | undefined
  /** The names of the credentials whose last use is shown. */
  readonly credentialsOf?: (entity: Entity) => readonly string[]
}
