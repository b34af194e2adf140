import { z } from 'zod'
import { registrationsFile } from './registrations-file.ts'

/**
 * The published JSON Schema of the registrations file, in draft 7, which all editors support. It
 * does not contain the rules about references between entries. `parseRegistrations` checks them.
 */
export const registrationsJsonSchema = (): object =>
  z.toJSONSchema(registrationsFile, { io: 'input', target: 'draft-7' })
