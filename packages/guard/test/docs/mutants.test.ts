import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { adapterMutants } from '../../mutants/adapter-mutants.ts'
import { gateMutants } from '../../mutants/gate-mutants.ts'
import { keyMutants } from '../../mutants/key-mutants.ts'
import { tokenMutants } from '../../mutants/token-mutants.ts'

const guard = join(import.meta.dirname, '../..')
const page = readFileSync(join(guard, '../../docs/evidence/mutants-guard.md'), 'utf8')
const mutants = [...tokenMutants, ...keyMutants, ...gateMutants, ...adapterMutants]

describe('the mutants of the guard', () => {
  it('apply to texts that still exist', () => {
    const lost = mutants.filter(({ file, edits }) => {
      const source = readFileSync(join(guard, 'src', file), 'utf8')
      return edits.some(([find]) => !source.includes(find))
    })
    assert.deepEqual(
      lost.map(({ file, breaks }) => `${file} ${breaks}`),
      [],
    )
  })

  it('are all on the page, in order, each with the test that detects it', () => {
    const rows = page.split('\n').filter((line) => /^\| \d/.test(line))
    assert.deepEqual(
      rows.map((row) => row.split(' | ').slice(1, 3)),
      mutants.map(({ file, breaks }) => [`\`${file}\``, breaks]),
    )
    assert.ok(!page.includes('**no test**'))
  })
})
