import type { Call } from '../http/operation.ts'

/** What the properties of an object depend on beside the object. */
export type EntityView = Pick<Call, 'directory' | 'rootUrl'> & {
  /** The last use of credentials, by their names. */
  readonly lastUses: ReadonlyMap<string, Date>
  /** The properties that were asked for by name. */
  readonly selected: ReadonlySet<string> | undefined
}

/** A set of objects, as OData shows it: what each property is taken from. */
export type EntitySet<Entity> = {
  /** The set's segment in paths and in `@odata.context`. */
  readonly name: string
  /** The type of its members, without namespace. */
  readonly type: string
  readonly keyOf: (entity: Entity) => string
  /** In the order in which they are shown. */
  readonly properties: Readonly<Record<string, (entity: Entity, view: EntityView) => unknown>>
  /** What `$filter` may ask for: the others are not indexed by Graph either. */
  readonly filterable: Readonly<Record<string, 'value' | 'collection'>>
  /** Undefined for what has no state of its own to compare. */
  readonly revisionOf?: (entity: Entity, view: EntityView) => number | undefined
  /** Names of the credentials whose last use is shown. */
  readonly credentialsOf?: (entity: Entity) => readonly string[]
}
