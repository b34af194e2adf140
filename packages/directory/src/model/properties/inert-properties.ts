import { isDeepStrictEqual } from 'node:util'

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json }

/**
 * The properties of an object that are only stored and shown, in Microsoft Graph's format. They
 * have no effect on tokens. A property with its default value is omitted.
 */
export type InertProperties = { readonly [property: string]: Json }

const charactersPerUnit = 256

export const inertWeight = (properties: InertProperties): number =>
  Math.floor(JSON.stringify(properties).length / charactersPerUnit)

/**
 * The inert properties after a change. A property or a member of a complex property that the body
 * lacks stays. A property with its default value is not stored.
 *
 * @param defaults the value of each property that was never set
 */
export function inertAfter(
  before: InertProperties,
  changes: { readonly [property: string]: unknown },
  defaults: InertProperties,
): InertProperties {
  const after = { ...before }
  for (const [property, change] of Object.entries(changes)) {
    if (change === undefined) continue
    const initial = defaults[property] ?? null
    const value = merged(before[property] ?? initial, change as Json, initial)
    if (isDeepStrictEqual(value, initial)) delete after[property]
    else after[property] = value
  }
  return after
}

/** @param initial the value for which a null stands */
function merged(before: Json, change: Json, initial: Json): Json {
  if (change === null) return initial
  if (!isObject(before) || !isObject(change)) return change
  const defaults = isObject(initial) ? initial : {}
  return {
    ...before,
    ...Object.fromEntries(
      Object.entries(change)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => [
          name,
          merged(before[name] ?? null, member, defaults[name] ?? null),
        ]),
    ),
  }
}

const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The number of entries in all collections of inert properties. */
export function entriesIn(value: unknown): number {
  if (Array.isArray(value))
    return value.reduce<number>((sum, one) => sum + entriesIn(one), value.length)
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, one) => sum + entriesIn(one), 0)
}
