import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { storableTextIssues } from '../../src/model/storable-text.ts'

describe('a text', () => {
  for (const [what, text, faults] of [
    ['nothing', '', 0],
    ['letters of any script', 'Zoë 名前 الكل', 0],
    ['a whole surrogate pair', '\u{1f44b}', 0],
    [
      'escapes and invisible characters that are no control characters',
      '\\0 %00 \u202e\u200b\ufeff',
      0,
    ],
    ['NUL', 'a\0b', 1],
    ['an escape', '\u001b[2J', 1],
    ['a line end', 'a\nb', 1],
    ['a control character of Latin-1', 'a\u0085b', 1],
    ['a high surrogate alone', 'a\ud800b', 1],
    ['a low surrogate alone', '\udc00', 1],
    ['a surrogate pair in the wrong order', '\udc00\ud800', 1],
    ['both', '\0\ud800', 2],
  ] as const)
    it(`with ${what} has ${faults} faults`, () => {
      assert.equal(storableTextIssues(text).length, faults)
    })
})
