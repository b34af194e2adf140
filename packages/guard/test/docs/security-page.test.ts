import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const repository = join(import.meta.dirname, '../../../..')
const read = (file: string) => readFileSync(join(repository, file), 'utf8')

/** Every row of the page that names an id or an advisory: its cells, without the outer bars. */
const rows = read('docs/security.md')
  .split('\n')
  .filter((line) => /\b(RS|FL|KF|TC|ME|BI)\d+\b|CVE-|GHSA-|fast-jwt #/.test(line))
  .filter((line) => line.startsWith('| '))
  .map((line) =>
    line
      .slice(2, -1)
      .split(' | ')
      .map((cell) => cell.trim()),
  )

const idsOf = (cells: readonly string[]) => {
  const [first = '', second = ''] = cells
  return /^(RS|FL|KF|TC|ME|BI)\d+$/.test(first) ? [first] : second.split(', ')
}

describe('docs/security.md', () => {
  it('has a row for every rule of the resource server', () => {
    const ids = rows.flatMap(idsOf).filter((id) => id.startsWith('RS'))
    const numbers = ids.map((id) => Number(id.slice(2)))
    assert.ok(numbers.length >= 32)
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
    )
  })

  for (const cells of rows) {
    const ids = idsOf(cells)
    const state = cells.at(-2) ?? ''
    const files = [...(cells.at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, file = '']) => file)

    it(`${ids.join(', ')}: ${state.split(':', 1)[0]}, as its tests say by name`, () => {
      if (state.startsWith('not offered')) {
        assert.deepEqual(files, [])
        return
      }
      assert.match(state, /^met/)
      assert.ok(files.length > 0)
      const texts = files.map(read)
      for (const id of ids) {
        const named = new RegExp(`${id.replace('KF3', 'KF1')}(?!\\d)`)
        assert.ok(
          texts.some((text) => named.test(text)),
          `no test of ${files} names ${id}`,
        )
      }
      for (const [index, text] of texts.entries()) {
        const cites = ids.some((id) => new RegExp(`${id.replace('KF3', 'KF1')}(?!\\d)`).test(text))
        assert.ok(cites, `${files[index]} names none of ${ids}`)
      }
    })
  }
})
