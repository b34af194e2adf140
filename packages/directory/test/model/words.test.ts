import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wordStarts, wordsOf } from '../../src/model/words.ts'

describe('the words of a text', () => {
  const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['HR pay-Roll', ['HR', 'pay', 'Roll'], ['h', 'hr', 'p', 'pa', 'r', 'ro']],
    ["a a%b_c!'", ['a', 'a', 'b', 'c'], ['a', 'b', 'c']],
    ['E\u0301te\u0301 É', ['E\u0301te\u0301', 'É'], ['e', 'e\u0301', 'é']],
    ['☎\uFE0F👍🏽job 😀', ['job'], ['j', 'jo']],
    ['日本語 नमस्ते 𝒜𝒷𝒸', ['日本語', 'नमस्ते', '𝒜𝒷𝒸'], ['日', '日本', 'न', 'नम', '𝒜', '𝒜𝒷']],
    ['%_!', [], []],
  ]
  for (const [text, words, starts] of rows)
    it(`are ${words.length} in ${text}, with ${starts.length} prefixes`, () => {
      assert.deepEqual(wordsOf(text), words)
      assert.deepEqual(wordStarts(text), starts)
    })
})
