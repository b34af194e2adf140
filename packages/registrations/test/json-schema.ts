import { registrationsJsonSchema } from '../src/registrations-file.ts'

/** The path of the published JSON Schema, from the root of the repository. */
export const file = 'packages/registrations/registrations.schema.json'

/** The text of the schema, before it is formatted. */
export const text = JSON.stringify(registrationsJsonSchema(), null, 2)
