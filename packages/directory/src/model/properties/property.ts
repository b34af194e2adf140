// Folder: What all entities share: the row of a property, the forms of values in a body, and inert properties.

import type { z } from 'zod'
import { madeTime, timeText, wholeSeconds } from '../exact-time.ts'
import type { InertProperties, Json } from './inert-properties.ts'

/** The context of a response, on which the shown value of a property may depend. */
export type PropertyView<Lookups> = {
  readonly directory: Lookups
  /** The last use of each credential, by its name. */
  readonly lastUses: ReadonlyMap<string, Date>
  /** The properties in `$select`; undefined for all. */
  readonly selected: ReadonlySet<string> | undefined
  /** Whether the answer shows an object that its request creates. */
  readonly isNew?: boolean
}

export type Member = {
  /** The type in `$metadata`; default `Edm.String`. */
  readonly type?: EdmType
  /** The form in a body. Without it, a client cannot write the member. */
  readonly body?: z.ZodType
  /** The value while a client never wrote it; default null. */
  readonly initial?: Json
  /** How `$filter` compares it within `any`; default: not at all. */
  readonly filter?: 'value' | 'time'
  /** The index of the store that serves its comparisons. */
  readonly index?: ListIndex
  /** Whether it identifies an object of a collection. */
  readonly isKey?: true
}

/**
 * An object within a property: its type without namespace, and its members in the order of `$metadata`.
 * A type without members never has a value here.
 */
export type ComplexType<
  Members extends Readonly<Record<string, Member>> = Readonly<Record<string, Member>>,
> = { readonly type: string; readonly members: Members }

/** A type of OData, a complex type, or a collection of one. */
type EdmType = string | ComplexType | readonly [ComplexType]

/** Declares a complex type, with the form of each member. */
export const complexType = <const Members extends Readonly<Record<string, Member>>>(
  type: string,
  members: Members,
): ComplexType<Members> => ({ type, members })

/** The complex type of a property or of its entries; undefined for a simple type of OData. */
export const complexTypeIn = (type: EdmType | undefined): ComplexType | undefined =>
  typeof type === 'string' ? undefined : type && 'members' in type ? type : type?.[0]

/** The name of a type in `$metadata`. */
export function typeName(type: EdmType): string {
  if (typeof type === 'string') return type
  return 'members' in type ? `graph.${type.type}` : `Collection(graph.${type[0].type})`
}

/** The values that have an index in the store. `name` is an application ID or an identifier URI. */
type ListIndex =
  | 'id'
  | 'appId'
  | 'displayName'
  | 'identifierUri'
  | 'name'
  | 'principalId'
  | 'resourceId'
  | 'appRoleId'
  | 'requestedApi'

/** The form of a value in the store: times are texts, booleans 0 and 1. The last three are JSON. */
export type ColumnForm = 'plain' | 'boolean' | 'time' | 'json' | 'secrets' | 'certificates'

/**
 * One property of an entity: its initial value, how clients write and read it, and where the store
 * has it. All code that handles properties in general reads these rows.
 */
export type Property<Entity, Lookups, Value = unknown> = Pick<Member, 'index'> & {
  /** The value in a new entity. Without it, the creator of the entity sets the value. */
  readonly initial?: Value
  /** The column in the store, and the form of its values; default `plain`. */
  readonly column?: readonly [name: string, form?: ColumnForm]
  /** The default of a property that is only stored and shown, without a separate member and column. */
  readonly inert?: Json
  /** The only value of a property that this server does not support. */
  readonly fixed?: Json
  /** The form in a body. Without it, a client cannot write the property, or not by itself. */
  readonly body?: z.ZodType<Value>
  /** Whether only the creation of an entity sets the value. */
  readonly isSetAtCreation?: true
  /** How a response shows it; default: the member of the entity. False: no response has it. */
  readonly show?: false | ((entity: Entity, view: PropertyView<Lookups>) => unknown)
  /** Whether an answer has it only when `$select` names it. */
  readonly isSelectedOnly?: true
  /** The type in `$metadata`; default: the type of the column, or `Edm.String`. */
  readonly type?: EdmType
  /**
   * How `$filter` compares it; `members`: each object of the collection by its members. Graph does not index
   * the other properties either.
   */
  readonly filter?: 'value' | 'time' | 'collection' | 'members'
  readonly hasStartsWith?: true
  /** Whether `$search` finds its words. */
  readonly isSearchable?: true
  /** Whether `$orderby` sorts by it. */
  readonly isSortable?: true
}

/** The properties of an entity in the order of responses: one for each member, and more. */
export type PropertyTable<Entity, Lookups> = {
  readonly [Name in keyof Entity]: Property<Entity, Lookups, Entity[Name]>
} & Readonly<Record<string, Property<Entity, Lookups>>>

/** A property of responses, with its type and the function that reads its value. */
export type ShownProperty<Entity, Lookups> = Omit<Property<Entity, Lookups>, 'show' | 'type'> & {
  readonly type: EdmType
  readonly show: (entity: Entity, view: PropertyView<Lookups>) => unknown
}

const typesOfColumns: Readonly<Partial<Record<ColumnForm, string>>> = {
  boolean: 'Edm.Boolean',
  time: 'Edm.DateTimeOffset',
}

/** The properties of a table that responses contain. */
export function shownProperties<Entity, Lookups>(
  table: Readonly<Record<string, Property<Entity, Lookups>>>,
): Readonly<Record<string, ShownProperty<Entity, Lookups>>> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, row]) => {
      if (row.show === false) return []
      const type = row.type ?? typesOfColumns[row.column?.[1] ?? 'plain'] ?? 'Edm.String'
      return [[name, { ...row, type, show: row.show ?? readerOf(name, row) }]]
    }),
  )
}

function readerOf(name: string, { fixed, inert }: Property<never, never>) {
  if (fixed !== undefined) return () => fixed
  if (inert !== undefined) {
    return (entity: unknown) =>
      (entity as { readonly inertProperties: InertProperties }).inertProperties[name] ?? inert
  }
  return (entity: unknown, { isNew }: PropertyView<unknown>) => {
    const value: unknown = Reflect.get(entity as object, name)
    if (!(value instanceof Date)) return value
    const { id } = entity as { readonly id: string }
    return isNew ? timeText(madeTime(value, id)) : wholeSeconds(value)
  }
}

type Row = Property<never, never>

/** One value of each property of a table, by name. A property without the value is left out. */
const pick = <Value>(
  table: object,
  read: (row: Row) => Value | undefined,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(
    Object.entries(table as Readonly<Record<string, Row>>).flatMap(([name, row]) => {
      const value = read(row)
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** The initial values of a new entity, which its creator need not set. */
export const initialValues = (table: object) => pick(table, ({ initial }) => initial)

/** The values of an entity by member name. Values without effect are in one member. */
export function entityValues(table: object, values: Readonly<Record<string, unknown>>): object {
  const inert = inertDefaults(table)
  const ofBoth = Map.groupBy(Object.entries(values), ([name]) => name in inert)
  const inertProperties = Object.fromEntries(ofBoth.get(true) ?? [])
  return {
    ...Object.fromEntries(ofBoth.get(false) ?? []),
    ...(ofBoth.has(true) && { inertProperties }),
  }
}

/** The properties that are stored and returned without effect, with their defaults. */
export const inertDefaults = (table: object): InertProperties => pick(table, ({ inert }) => inert)

/** The properties that this server does not support, with their only possible values. */
export const fixedValues = (table: object): InertProperties =>
  pick(table, ({ fixed, isSelectedOnly }) => (isSelectedOnly ? undefined : fixed))

type Written<Rows> = {
  [Name in keyof Rows]: Rows[Name] extends { readonly body: z.ZodType } ? Name : never
}[keyof Rows]

/** The body schemas of property rows, with their types. */
export const formsOf = <const Rows extends Readonly<Record<string, object>>>(rows: Rows) =>
  pick(rows, ({ body }) => body) as unknown as {
    readonly [Name in Written<Rows>]: Rows[Name] extends { readonly body: infer Form }
      ? Form
      : never
  }

/** The value of a complex type that no client has written. */
export const defaultsOf = ({ members }: ComplexType): { readonly [name: string]: Json } =>
  pick(members, ({ initial = null }) => initial as Json)

/** The body schemas of properties: with an effect, at creation only, and without effect. */
export const bodyForms = (table: object) => ({
  changeable: pick(table, ({ body, inert, isSetAtCreation }) =>
    inert === undefined && !isSetAtCreation ? body : undefined,
  ),
  atCreation: pick(table, ({ body, isSetAtCreation }) => (isSetAtCreation ? body : undefined)),
  inert: pick(table, ({ body, inert }) => (inert === undefined ? undefined : body)),
})
