import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { files, read } from './source-tree.ts'

/** The security pages, and the folder that the paths of their tests are relative to. */
const pages = [
  { page: 'docs/evidence/security-resource-server.md', folder: '' },
  {
    page: 'docs/evidence/security-authorization-server.md',
    folder: 'services/identity-provider/test/',
  },
  { page: 'docs/evidence/security-client.md', folder: 'packages/client/test/' },
]

type Row = {
  /** One id such as `RS1`, or the advisories of a class. */
  readonly ids: readonly string[]
  readonly cells: readonly string[]
  /** Paths in the form of the page. */
  readonly tests: readonly string[]
}

const rowId = /^[A-Z]{2}\d+(?= |$)/
const advisory = /CVE-\d|GHSA-|#\d/

function rowsOf(page: string): Row[] {
  return read(page)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
    .map((cells) => ({ ids: idsOf(cells), cells, tests: testsIn(cells.at(-1) ?? '') }))
    .filter(({ ids }) => ids.length > 0)
}

function idsOf([first = '', second = '']: readonly string[]): readonly string[] {
  const id = rowId.exec(first)?.[0]
  if (id !== undefined) return [id]
  return advisory.test(second) ? second.split(', ') : []
}

const testsIn = (cell: string) => (cell === '' ? [] : cell.replaceAll('`', '').split(', '))

/** The text of a test without its comments: an ID in a comment does not name a test. */
const codeOf = (file: string) =>
  read(file)
    .replace(/^\s*(\/\/|\/?\*).*$/gm, '')
    .replace(/\s\/\/ .*$/gm, '')

const isNamedIn = (id: string, code: string) => new RegExp(`(?<![\\w-])${id}(?![\\w-])`).test(code)

for (const { page, folder } of pages) {
  describe(page, () => {
    const rows = rowsOf(page)

    it('contains each ID once, in numerical order', () => {
      const numbers = new Map<string, number[]>()
      for (const [id = ''] of rows.map(({ ids }) => ids).filter(([id]) => rowId.test(id ?? ''))) {
        const family = id.slice(0, 2)
        numbers.set(family, [...(numbers.get(family) ?? []), Number(id.slice(2))])
      }
      assert.ok(numbers.size > 0)
      for (const [family, found] of numbers) {
        const sorted = [...new Set(found)].toSorted((a, b) => a - b)
        assert.deepEqual(found, sorted, family)
      }
    })

    for (const { ids, cells, tests } of rows) {
      it(`has tests with the IDs of each row: ${ids.join(', ')}`, () => {
        if (tests.length === 0) {
          assert.match(cells.at(-2) ?? '', /^(not offered|does not arise)/)
          return
        }
        const named = new Set<string>()
        for (const test of tests) {
          const file = [folder + test, test].find((path) => files.includes(path))
          assert.ok(file, `${test} is not there`)
          // A conformance suite is run by the test of each adapter.
          assert.match(file, /(\.test|-conformance)\.ts$/)
          const found = ids.filter((id) => isNamedIn(id, codeOf(file)))
          assert.notEqual(found.length, 0, `${test} does not name ${ids.join(', ')}`)
          for (const id of found) named.add(id)
        }
        assert.deepEqual(
          ids.filter((id) => !named.has(id)),
          [],
        )
      })
    }
  })
}
