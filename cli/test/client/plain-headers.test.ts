import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PlainHeaders } from '../../src/client/quick-runtime.ts'

const inits: readonly HeadersInit[] = [
  {},
  { Accept: 'text/plain', 'X-A': ' 1 ' },
  [
    ['X-A', '1'],
    ['x-a', '2'],
  ],
  new Headers({ accept: '*/*' }),
]

describe('plain header fields', () => {
  for (const init of inits)
    it(`equal the fields of Headers for ${JSON.stringify([...new Headers(init)])}`, () => {
      const [plain, known] = [new PlainHeaders(init), new Headers(init)]
      for (const headers of [plain, known]) {
        headers.append('x-b', '1')
        headers.append('X-B', '2')
        headers.set('Authorization', 'Bearer t')
        headers.set('cookie', 'a')
        headers.delete('Cookie')
      }
      assert.deepEqual([...plain].sort(), [...known].sort())
      assert.deepEqual([...plain.keys()].sort(), [...known.keys()].sort())
      assert.deepEqual([...plain.values()].sort(), [...known.values()].sort())
      const visited: string[] = []
      plain.forEach((value, name) => {
        visited.push(`${name}: ${value}`)
      })
      assert.deepEqual(
        visited,
        [...plain.entries()].map((field) => field.join(': ')),
      )
      for (const name of ['ACCEPT', 'x-a', 'x-c', 'cookie'])
        assert.deepEqual([plain.get(name), plain.has(name)], [known.get(name), known.has(name)])
    })
})
