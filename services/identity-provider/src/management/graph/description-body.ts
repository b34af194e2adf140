import { z } from 'zod'
import { bodyCollection, text } from '../../directory/properties/forms.ts'
import type { Description, Json } from '../../directory/properties/inert-properties.ts'

const webProtocols = new Set(['http:', 'https:'])

/** The address of a page. */
export const webUrl = text(2048).refine(
  (value) => webProtocols.has(URL.parse(value)?.protocol ?? ''),
  'must be a URL that starts with http:// or https://',
)

/** The numbers and sizes of Entra ID. */
const maxRedirectUris = 256
const maxTags = 100

/** A short text that only people read. */
export const note = text(1024)

export const tags = bodyCollection(text(), maxTags)

/** Addresses for the sign-in of users. They open nothing here. */
export const redirectUris = bodyCollection(
  text().refine((value) => URL.canParse(value), 'must be an absolute URI'),
  maxRedirectUris,
)

/** Members that a body may omit, and a null that resets all of them. */
export const complex = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape).partial().nullable()

/**
 * The description after a change. A property that the body lacks stays, and so does a member of a
 * complex property. A property with its default value is not kept.
 *
 * @param defaults the value of each property that was never set
 */
export function descriptionAfter(
  before: Description,
  changes: { readonly [property: string]: unknown },
  defaults: Description,
): Description {
  const after = { ...before }
  for (const [property, change] of Object.entries(changes)) {
    if (change === undefined) continue
    const initial = defaults[property] ?? null
    const value = merged(before[property] ?? initial, change as Json, initial)
    if (isSame(value, initial)) delete after[property]
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

const isSame = (one: Json, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The number of entries in all collections of a description. */
export function entriesIn(value: unknown): number {
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, one) => sum + entriesIn(one), value.length)
  }
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, one) => sum + entriesIn(one), 0)
}
