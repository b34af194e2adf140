import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { refusalTable } from '../../src/dialect/refusals/refusal-table.ts'

const page = readFileSync(
  join(import.meta.dirname, '../../../../docs/explanation/entra.md'),
  'utf8',
)

// For other faulty parameters OAuth decides the status, so one row stands for all of them (entra E133).
const otherParameter = '90100'

describe('docs/explanation/entra.md', () => {
  it('has a fact for each code that a refusal sends, and no other', () => {
    const facts = page.matchAll(/^\| E\d+ \| (\d+) \| (\d+) \| `(\w+)` \|/gm)
    const documented = [...facts].map(([, code = '', status, error]) =>
      code === otherParameter ? code : `${code} ${status} ${error}`,
    )
    const sent = Object.values(refusalTable).map(({ code, status, error }) =>
      String(code) === otherParameter ? otherParameter : `${code} ${status} ${error}`,
    )
    assert.deepEqual([...new Set(sent)].toSorted(), documented.toSorted())
  })

  it('gives each fact a strength that it defines', () => {
    const section = page.split('\n## Strength\n')[1]?.split('\n## ')[0] ?? ''
    const defined = [...section.matchAll(/^\| (\w+) \|/gm)].map(([, strength]) => strength)
    const used = [...page.matchAll(/^\| E\d+ .*\| (\w+) \| [^|]+ \|$/gm)]
    assert.equal(used.length, page.match(/^\| E\d+ /gm)?.length)
    for (const [row, strength] of used) assert.ok(defined.includes(strength), row)
  })
})
