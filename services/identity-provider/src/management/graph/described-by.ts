import type { Description } from '../../directory/properties/inert-properties.ts'

type Described = { readonly description: Description }

/** Functions that read descriptive properties of an object, or their defaults. */
export const describedBy = (
  defaults: Description,
): Readonly<Record<string, (object: Described) => unknown>> =>
  Object.fromEntries(
    Object.entries(defaults).map(([name, initial]) => [
      name,
      ({ description }) => description[name] ?? initial,
    ]),
  )
