import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { registrationsJsonSchema } from '../src/registrations-file.ts'

const published = join(import.meta.dirname, '../registrations.schema.json')

it('the published JSON Schema equals the schema of the command', () => {
  assert.deepEqual(
    JSON.parse(readFileSync(published, 'utf8')),
    JSON.parse(JSON.stringify(registrationsJsonSchema())),
    'run: npx --no-install greeting registrations schema > packages/registrations/registrations.schema.json',
  )
})
