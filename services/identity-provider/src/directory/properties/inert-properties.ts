/** A value of JSON. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json }

/**
 * Properties that describe an object, in the form of Microsoft Graph. They have no effect on tokens, so
 * the directory keeps them and does not read them. A property with its default value is missing.
 */
export type Description = { readonly [property: string]: Json }

const charactersPerUnit = 256

/** The weight of a description in a cache. */
export const descriptionWeight = (description: Description): number =>
  Math.floor(JSON.stringify(description).length / charactersPerUnit)
