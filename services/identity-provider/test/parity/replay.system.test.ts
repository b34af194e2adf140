import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { parityFile, resultsOn } from './parity-page.ts'
import { firstDifference, replay } from './replay.ts'

describe('a replay of exchanges with Entra', () => {
  it('confirms every response that the page calls equal (npm run generate)', async () => {
    const results = resultsOn(readFileSync(parityFile, 'utf8'))
    const replayed = await replay()
    assert.deepEqual(
      replayed.filter(({ result }, index) => result !== 'same' && results[index] === 'same'),
      [],
    )
  })

  const responses: [string, unknown, unknown, string | undefined][] = [
    ['additional members', { id: 1 }, { id: 1, name: 'x' }, undefined],
    ['any value', { id: '*' }, { id: null }, undefined],
    ['a missing member', { id: '*' }, {}, 'id'],
    ['an absent member', { etag: '(none)' }, {}, undefined],
    ['a member that must be absent', { etag: '(none)' }, { etag: 'x' }, 'etag'],
    ['one of several elements', [{ id: 2 }], [{ id: 1 }, { id: 2 }], undefined],
    ['a missing element', { value: [{ id: 3 }] }, { value: [{ id: 1 }] }, 'value'],
    ['a nested value', { error: { code: 'a' } }, { error: { code: 'b' } }, 'error.code'],
  ]
  for (const [name, expected, actual, place] of responses)
    it(`compares a response with ${name}`, () => {
      assert.equal(firstDifference(expected, actual), place)
    })
})
