import { z } from 'zod'
import { registrationsFile } from './registrations-file.ts'

/**
 * The published JSON Schema of the registrations file, for editors: draft 7, which all of them know.
 * It says all but how entries refer to each other; `greeting registrations plan` judges that too.
 */
export const registrationsJsonSchema = (): object =>
  z.toJSONSchema(registrationsFile, { io: 'input', target: 'draft-7' })
