import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { file, text } from './reference.ts'

it(`${file} is generated from the commands: npm run generate`, () => {
  assert.equal(readFileSync(join(import.meta.dirname, '../../..', file), 'utf8'), text)
})
