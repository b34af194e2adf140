import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const page = readFileSync(
  join(import.meta.dirname, '../../../docs/security-authorization-server.md'),
  'utf8',
)
const rowsOf = (kind: string) =>
  page
    .split('\n')
    .filter((line) => line.startsWith(`| ${kind}`))
    .map((line) => line.split('|').map((cell) => cell.trim()))
const rows = rowsOf('AS')

describe('docs/security-authorization-server.md', () => {
  it('has each row once, in order', () => {
    const numbers = rows.map(([, id = '']) => Number(id.slice(2)))
    assert.ok(numbers.length >= 31)
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
    )
  })

  for (const [, id = '', , met = '', shownBy = ''] of rows) {
    it(`names tests that are there for ${id}, or says that it is not met`, () => {
      const tests = shownBy.split(', ').filter((name) => name !== '')
      assert.ok(met.startsWith('yes') ? tests.length > 0 : met === 'not offered')
      for (const test of tests) assert.ok(existsSync(join(import.meta.dirname, test)), test)
    })
  }

  for (const cells of rowsOf('FL')) {
    const [id = '', shownBy = ''] = [cells[1], cells.at(-2)]
    it(`names tests that say they are about ${id}`, () => {
      for (const test of shownBy.split(', ')) {
        const text = readFileSync(join(import.meta.dirname, test), 'utf8')
        assert.match(text, new RegExp(`\\b${id}\\b`), test)
      }
    })
  }
})
