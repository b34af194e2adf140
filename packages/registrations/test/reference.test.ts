import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { schemaTables } from './schema-table.ts'

const reference = readFileSync(
  join(import.meta.dirname, '../../../docs/reference/registrations.md'),
  'utf8',
)

describe('the reference of the registrations file', () => {
  for (const [title, table] of schemaTables()) {
    it(`has the table of the schema for "${title}"`, () => {
      assert.ok(
        reference.includes(`\n${table}\n`),
        `docs/reference/registrations.md lacks:\n${table}`,
      )
    })
  }

  it('has no other table', () => {
    const tables = reference.match(/^\| property \|/gm) ?? []
    assert.equal(tables.length, schemaTables().size)
  })
})
