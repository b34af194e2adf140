import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import * as schema from './json-schema.ts'

it('the published JSON Schema matches the schema of the command', () => {
  assert.deepEqual(
    JSON.parse(readFileSync(join(import.meta.dirname, '../../..', schema.file), 'utf8')),
    JSON.parse(schema.text),
    `${schema.file} differs from the code: run npm run generate`,
  )
})
