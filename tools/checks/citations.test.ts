import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { describe, it } from 'node:test'
import { files, read, sources } from './source-tree.ts'

const contract = 'docs/explanation/contract.md'
const entra = 'docs/reference/entra.md'
const documents = files.filter((file) => file.endsWith('.md'))
const texts = [...documents, ...sources]

/** The numbers of the rows of a page, table by table. */
const tablesOf = (page: string, letter: string): number[][] =>
  read(page)
    .split(/\n(?!\|)/)
    .map((table) => [...table.matchAll(new RegExp(`^\\| ${letter}(\\d+) \\|`, 'gm'))])
    .map((rows) => rows.map(([, number]) => Number(number)))

const numbersOf = (page: string, letter: string): number[] =>
  tablesOf(page, letter)
    .flat()
    .toSorted((a, b) => a - b)

const series = [
  { page: contract, letter: 'C', word: 'contract' },
  { page: contract, letter: 'O', word: 'contract' },
  { page: entra, letter: 'E', word: 'entra' },
]

describe('numbered pages', () => {
  for (const { page, letter } of series) {
    // A number may be free: changes that are made at the same time reserve some.
    it(`contain each number ${letter}1, ${letter}2 and so on once in ${page}`, () => {
      const numbers = numbersOf(page, letter)
      assert.ok(numbers.length > 0)
      assert.deepEqual(numbers, [...new Set(numbers)])
    })

    // A new row gets the next free number and is the last of its table, so that no number changes.
    it(`contain ${letter}1, ${letter}2 and so on in order in each table of ${page}`, () => {
      for (const numbers of tablesOf(page, letter))
        assert.deepEqual(
          numbers,
          numbers.toSorted((a, b) => a - b),
        )
    })
  }
})

/** Citations of a text without a target, such as "contract C1000", with the reason. */
function brokenCitations(text: string): string[] {
  const cited = /\b(contract|entra) ([A-Z])(\d+)(?: to ([A-Z])(\d+))?/gi
  return [...text.matchAll(cited)].flatMap(([all, word = '', letter, from, toLetter, to]) => {
    const page = series.find((one) => one.word === word.toLowerCase() && one.letter === letter)
    if (page === undefined || (toLetter ?? letter) !== letter) return [`${all}: no such series`]
    const numbers = numbersOf(page.page, page.letter)
    const [first, end] = [Number(from), Number(to ?? from)]
    return first <= end && numbers.includes(first) && numbers.includes(end)
      ? []
      : [`${all}: ${letter}1 to ${letter}${numbers.at(-1)}`]
  })
}

describe('citations', () => {
  it('refer to existing rows', () => {
    const broken = texts
      .filter((file) => file !== 'tools/checks/citations.test.ts')
      .flatMap((file) => brokenCitations(read(file)).map((fault) => `${file}: ${fault}`))
    assert.deepEqual(broken, [])
  })

  it('of the contract have a number, or link to its page', () => {
    const unnumbered = texts
      .filter((file) => file !== contract && !file.startsWith('tools/checks/'))
      .flatMap((file) =>
        read(file)
          .split('\n')
          .map((line) => [file, line] as const),
      )
      .filter(([, line]) => /\bthe contract\b/i.test(line))
      .filter(([, line]) => !/contract C\d|contract\.md/i.test(line))
    assert.deepEqual(unnumbered, [])
  })

  const rows: [string, number][] = [
    ['contract C1', 0],
    ['contract C20 to C27, entra E1', 0],
    ['contract C0', 1],
    ['contract C1000', 1],
    ['entra E5 to E4', 1],
    ['entra E1 to E9999', 1],
    ['entra C1', 1],
    ['contract C1 to E2', 1],
  ]
  for (const [text, faults] of rows)
    it(`in "${text}" have ${faults} faults`, () => {
      assert.equal(brokenCitations(text).length, faults)
    })
})

describe('files that documents and comments name', () => {
  const fileName = /(?<![\w@/.{*<-])(?:[\w.-]+\/)*[\w-][\w.-]*\.(?:md|ts)\b(?!\.)/g
  // Fenced code shows programs of the reader, with names of the reader's files.
  const proseOf = (file: string) =>
    file.endsWith('.md')
      ? read(file).replace(/^(```+).*?^\1/gms, '')
      : [...read(file).matchAll(/^\s*(?:\/\/|\/\*\*?|\*).*$/gm)].join('\n')
  const exists = (name: string, from: string) =>
    files.includes(posix.join(posix.dirname(from), name)) ||
    files.some((file) => file === name || file.endsWith(`/${name}`))

  it('exist in the repository', () => {
    const missing = texts.flatMap((file) =>
      [...proseOf(file).matchAll(fileName)]
        .map(([name]) => name)
        .filter((name) => !exists(name, file))
        .map((name) => `${file} names ${name}`),
    )
    assert.deepEqual(missing, [])
  })
})
