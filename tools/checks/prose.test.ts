import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countWords, passagesOf, sentencesOf, splitSentences, withoutMarkup } from './prose.ts'

describe('splitSentences', () => {
  const rows: [string, string[]][] = [
    ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
    [
      'Tokens of v1.0 expire. See README.md for more.',
      ['Tokens of v1.0 expire.', 'See README.md for more.'],
    ],
    ['Use a clock, e.g. the system clock.', ['Use a clock, e.g. the system clock.']],
    ['It waits ... until it ends.', ['It waits ... until it ends.']],
    ['A text without an end', ['A text without an end']],
    ['It says "no." Then it stops.', ['It says "no."', 'Then it stops.']],
    ['RFC 6749 section 4. It is short.', ['RFC 6749 section 4.', 'It is short.']],
    ['', []],
  ]
  for (const [text, sentences] of rows)
    it(`finds ${sentences.length} in "${text}"`, () => {
      assert.deepEqual(splitSentences(text), sentences)
    })
})

describe('withoutMarkup', () => {
  const rows: [string, string][] = [
    ['Set `A=1 B=2` first.', 'Set CODE first.'],
    ['Set ``a `b` c`` first.', 'Set CODE first.'],
    ['See [the guard](guard.md#a-b "x y").', 'See the guard.'],
    ['See https://example.org/a/b for it.', 'See URL for it.'],
    ['It is **never** _open_ in snake_case.', 'It is never open in snake_case.'],
  ]
  for (const [markdown, text] of rows)
    it(`turns "${markdown}" into "${text}"`, () => {
      assert.equal(withoutMarkup(markdown), text)
    })
})

it('countWords counts words but not signs', () => {
  assert.equal(countWords('A token - once issued - is valid for 3,600 s.'), 9)
})

describe('passagesOf', () => {
  it('joins the lines of a paragraph, and ends it at a blank line', () => {
    assert.deepEqual(
      passagesOf('One\ntwo.\n\nThree.').map(({ text, line }) => [line, text]),
      [
        [1, 'One two.'],
        [4, 'Three.'],
      ],
    )
  })

  it('returns headings, list items and table cells one by one', () => {
    const markdown =
      '# Title\nText.\n- a b\n  c\n- d\n\n| x | `y\\|z` |\n|---|---|\n| one two | |\n'
    assert.deepEqual(
      passagesOf(markdown).map(({ text }) => text),
      ['Title', 'Text.', 'a b c', 'd', 'x', 'CODE', 'one two'],
    )
  })

  it('omits fenced code, even if the fence contains another fence', () => {
    const markdown = 'Before.\n````sh\nno\n```\nno\n````\nAfter.'
    assert.deepEqual(
      passagesOf(markdown).map(({ text }) => text),
      ['Before.', 'After.'],
    )
  })
})

it('sentencesOf returns the line and the number of words', () => {
  assert.deepEqual(sentencesOf('# A\n\nFirst one. Second `x y` one.'), [
    { text: 'A', line: 1, words: 1 },
    { text: 'First one.', line: 3, words: 2 },
    { text: 'Second CODE one.', line: 3, words: 3 },
  ])
})
