import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { storableTextIssues } from '../../src/model/storable-text.ts'

describe('a text', () => {
  for (const [what, text, faults] of [
    ['no characters', '', 0],
    ['letters of any script', 'Zoë 名前 الكل', 0],
    ['a whole surrogate pair', '\u{1f44b}', 0],
    [
      'escapes and invisible characters that are not control characters',
      '\\0 %00 \u202e\u200b\ufeff',
      0,
    ],
    ['NUL', 'a\0b', 1],
    ['an escape character', '\u001b[2J', 1],
    ['a line break', 'a\nb', 1],
    ['a control character of Latin-1', 'a\u0085b', 1],
    ['a lone high surrogate', 'a\ud800b', 1],
    ['a lone low surrogate', '\udc00', 1],
    ['a surrogate pair in the wrong order', '\udc00\ud800', 1],
    ['two of these', '\0\ud800', 2],
  ] as const)
    it(`with ${what} has ${faults} faults`, () => {
      assert.equal(storableTextIssues(text).length, faults)
    })
})
