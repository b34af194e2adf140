import { z } from 'zod'

/** A property that an entry of the file may set, and that a plan compares with the directory. */
type ComparedProperty = {
  /** The object of Microsoft Graph that has the property. */
  readonly of: 'application' | 'servicePrincipal'
  /** The member of that object in which the property lies; default: the object itself. */
  readonly within?: 'api'
  /** The form of the property in the file. */
  readonly entry: z.ZodType
  /** The value of a new object. An export leaves it out. */
  readonly initial: unknown
  /** What an absent value means, if that is not the value of a new object. */
  readonly absent?: unknown
  /** Whether a new value can lock clients out. */
  readonly takesAway: (to: unknown) => boolean
}

/**
 * The properties that an API of the file may set. Schema, directory view, plan, apply, export, explanation,
 * first start and portal read these rows.
 */
export const comparedProperties = {
  requestedAccessTokenVersion: {
    of: 'application',
    within: 'api',
    entry: z
      .literal([1, 2])
      .describe('Version of the tokens for the API. Default: unchanged; 1 for a new API.'),
    initial: null,
    absent: 1,
    takesAway: () => true,
  },
  appRoleAssignmentRequired: {
    of: 'servicePrincipal',
    entry: z
      .boolean()
      .describe('Whether a client without a role of the API gets no token. Default: unchanged.'),
    initial: false,
    takesAway: (to) => to === true,
  },
} as const satisfies Readonly<Record<string, ComparedProperty>>

type Rows = typeof comparedProperties
/** The name of a compared property, in the file and in Microsoft Graph. */
export type ComparedName = keyof Rows
type Of = ComparedProperty['of']

export type ComparedValues = {
  readonly [Name in ComparedName]?: z.output<Rows[Name]['entry']> | undefined
}

const rows = Object.entries(comparedProperties) as [ComparedName, ComparedProperty][]

/** The compared properties of one kind of object, with a value of each. A property without a value is left out. */
const pick = (of: Of, read: (name: ComparedName, row: ComparedProperty) => unknown) =>
  Object.fromEntries(
    rows
      .filter(([, row]) => row.of === of)
      .map(([name, row]) => [name, read(name, row)])
      .filter(([, value]) => value !== undefined),
  )

/** The schema members of a file entry that set compared properties. */
export const comparedEntries = Object.fromEntries(
  rows.map(([name, { entry }]) => [name, entry.optional()]),
) as { readonly [Name in ComparedName]: z.ZodOptional<Rows[Name]['entry']> }

/** The schema members of a directory object that has compared properties. */
export const comparedMembers = (of: Of) =>
  Object.fromEntries(
    Object.keys(comparedBody(pick(of, () => true))).map((name) => [name, z.unknown().optional()]),
  ) as Readonly<Record<ComparedName | 'api', z.ZodOptional<z.ZodUnknown>>>

/** The value of a property in a directory object; undefined if it is absent. */
export function comparedRead(name: ComparedName, object: object | undefined): unknown {
  const { within }: ComparedProperty = comparedProperties[name]
  const parent = within ? Reflect.get(object ?? {}, within) : object
  return Object(parent)[name] ?? undefined
}

/** The value of a property in a directory object, or the value that its absence means. */
export function comparedValue(name: ComparedName, object: object | undefined): unknown {
  const { initial, absent = initial }: ComparedProperty = comparedProperties[name]
  return comparedRead(name, object) ?? absent
}

/** The property values that a file entry sets. */
export const valuesOf = (of: Of, entry: ComparedValues = {}): ComparedValues =>
  pick(of, (name) => entry[name])

/** The property values of a directory object, except those that equal the initial value. */
export const valuesToExport = (of: Of, object: object | undefined): ComparedValues =>
  pick(of, (name, { initial }) => {
    const value = comparedRead(name, object)
    return value === initial ? undefined : value
  })

/** Converts property values to a body for Microsoft Graph. */
export function comparedBody(values: Readonly<Record<string, unknown>>): object {
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    const { within }: Partial<ComparedProperty> = comparedProperties[name as ComparedName] ?? {}
    if (within) body[within] = { ...Object(body[within]), [name]: value }
    else body[name] = value
  }
  return body
}
