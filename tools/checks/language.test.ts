import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseSync } from 'rolldown/utils'
import { sentencesOf, withoutMarkup } from './prose.ts'
import { files, read, sources } from './source-tree.ts'

/** The comments of a source file, with each tag as a paragraph. An example is code. */
const commentsOf = (file: string) =>
  parseSync(file, read(file))
    .comments.map(({ value }) => value.replace(/^\s*\* ?/gm, '').replace(/@example[\s\S]*/, ''))
    .join('\n\n')
    .replace(/^@/gm, '\n@')

// docs/generated/command.md is made from the help of the command, so its texts are checked here too.
const pages = files.filter((file) => file.endsWith('.md'))

const texts = [
  ...pages.map((page) => ({ page, text: read(page) })),
  ...sources
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ page: file, text: commentsOf(file) })),
]

const maxWords = 30

/** The words that the glossary excludes, as a pattern for all their forms. */
function excludedWords(): RegExp {
  const [, table = ''] =
    /^## Words that are not used$(.*?)^These words/ms.exec(read('docs/glossary.md')) ?? []
  const words = [...table.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word),
  )
  assert.ok(words.length > 10, 'docs/glossary.md has no table of excluded words')
  return new RegExp(`\\b(?:${words.join('|')})(?:s|ed|ing)?\\b`, 'gi')
}

/** Sentences above the limit, each with its page and line. */
const longSentences = (page: string, markdown: string) =>
  sentencesOf(markdown)
    .filter(({ words }) => words > maxWords)
    .map(({ line, words, text }) => `${page}:${line} has ${words} words: ${text}`)

describe('documents and comments', () => {
  it(`have sentences of at most ${maxWords} words`, () => {
    assert.deepEqual(
      pages.flatMap((page) => longSentences(page, read(page))),
      [],
    )
  })

  it('do not contain the words that the glossary excludes', () => {
    const excluded = excludedWords()
    const found = texts.flatMap(({ page, text }) =>
      sentencesOf(text).flatMap((sentence) =>
        [...sentence.text.matchAll(excluded)].map(
          ([word]) => `${page}:${sentence.line} says "${word}"`,
        ),
      ),
    )
    assert.deepEqual(found, [])
  })

  it('are checked sentence by sentence', () => {
    const words = (count: number) => Array.from({ length: count }, () => 'Word').join(' ')
    assert.equal(longSentences('a.md', `${words(30)}. ${words(30)}.`).length, 0)
    assert.equal(longSentences('a.md', `${words(31)}.`).length, 1)
    assert.match(commentsOf('tools/checks/exceptions.ts'), /list of exceptions can only shrink/)
    assert.match(withoutMarkup('Nobody `nobody` mends it.'), excludedWords())
    assert.doesNotMatch(withoutMarkup('`nobody` fixes it, and it folds.'), excludedWords())
  })
})

// A fact has one place, and other pages link to it. So new words replace others.
it('the pages of docs that people wrote have at most 50,000 words on 42 pages', () => {
  const written = pages.filter((page) => /^docs\/(?!generated\/)/.test(page))
  const words = written.map(
    (page) =>
      read(page)
        .split(/\s+/)
        .filter((one) => /\w/.test(one)).length,
  )
  assert.ok(written.length <= 42, `${written.length} pages`)
  const sum = words.reduce((total, count) => total + count)
  assert.ok(sum <= 50_000, `${sum} words`)
})

// The site makes its groups from the lists of this page.
it('docs/README.md lists each generated page', () => {
  const contents = read('docs/README.md')
  const generated = pages.filter((page) => page.startsWith('docs/generated/'))
  assert.ok(generated.length > 10)
  const unlisted = generated.filter((page) => !contents.includes(`](${page.slice('docs/'.length)}`))
  assert.deepEqual(unlisted, [])
})

describe('docs/glossary.md', () => {
  const [, table = ''] = /^## Terms$(.*?)^## /ms.exec(read('docs/glossary.md')) ?? []
  const rows = [...table.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].slice(1)

  it('has its terms in alphabetical order, each once', () => {
    const terms = rows.map(([, term = '']) => term.toLowerCase())
    assert.ok(terms.length > 20)
    assert.deepEqual(terms, [...new Set(terms)].toSorted())
  })

  it('gives each term a meaning and a source', () => {
    assert.equal(rows.length, table.split('\n').filter((line) => line.startsWith('| ')).length - 1)
  })
})
