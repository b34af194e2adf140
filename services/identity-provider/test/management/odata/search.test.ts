import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { displayNames, eventual, withNames } from './named-applications.ts'

describe('$search', () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['"displayName:ALPH"', ['Alpha', 'alpha']],
    ['"displayName:brien"', ["O'Brien's"]],
    ['"displayName:s brien"', ["O'Brien's"]],
    ['"displayName:mma" OR "displayName:bet"', ['Beta', 'Gamma']],
    ['"displayName:be" OR "displayName:g"', ['Beta', 'Gamma']],
    ['"displayName:o" AND "displayName:br"', ["O'Brien's"]],
    ['"displayName:mm"', []],
  ]
  for (const [search, expected] of rows) {
    it(`finds ${JSON.stringify(expected)} by ${search}`, async () => {
      const { admin } = await withNames()
      const path = `/applications?$search=${encodeURIComponent(search)}`
      const { status, body } = await admin.get(path, undefined, eventual)
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual(displayNames(body), expected)
    })
  }

  const refused: readonly (readonly [string, RegExp])[] = [
    ['x', /Syntax error in \$search/],
    ['', /Syntax error/],
    ['"x"', /Syntax error/],
    ['"displayName:---"', /Syntax error/],
    ['"displayName:a" "displayName:b"', /Syntax error/],
    ['AND "displayName:a"', /Syntax error/],
    [Array(11).fill('"displayName:a"').join(' AND '), /at most 10 clauses/],
    [`"displayName:${'a '.repeat(21)}"`, /1 to 20 words/],
    [`"displayName:${'a'.repeat(1100)}"`, /longer than 1024/],
    ['"appId:x"', /'appId' cannot be searched/],
    ['"nothing:x"', /Could not find a property/],
  ]
  for (const [search, message] of refused) {
    it(`refuses ${search.slice(0, 50)}`, async () => {
      const { admin } = await withNames()
      const path = `/applications?$search=${encodeURIComponent(search)}`
      const { status, body } = await admin.get(path, undefined, eventual)
      assert.equal(status, 400)
      assert.match(body.error.message, message)
    })
  }
})
