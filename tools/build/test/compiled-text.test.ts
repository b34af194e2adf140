import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withCompiledImports, withRepositoryLinks, withShippedSource } from '../compiled-text.ts'

describe('withCompiledImports', () => {
  const rows: [text: string, result: string][] = [
    ["export { a } from './a.ts';", "export { a } from './a.js';"],
    ['import type { A } from "../b/a.ts";', 'import type { A } from "../b/a.js";'],
    [`type A = import(${'"'}./a.ts").A;`, `type A = import(${'"'}./a.js").A;`],
    ["import './a.ts';", "import './a.js';"],
    ["import { z } from 'zod';", "import { z } from 'zod';"],
    ["/** Reads './a.ts'. */", "/** Reads './a.ts'. */"],
  ]
  for (const [text, result] of rows)
    it(`turns ${text} into ${result}`, () => assert.equal(withCompiledImports(text), result))
})

it('withShippedSource changes paths from lib to src', () => {
  const map = '{"version":3,"sourceRoot":"/tmp","sources":["../../x.ts"],"mappings":"A"}'
  assert.deepEqual(JSON.parse(withShippedSource(map, 'lib/a/b.js')), {
    version: 3,
    mappings: 'A',
    sources: ['../../src/a/b.ts'],
  })
})

describe('withRepositoryLinks', () => {
  const base = 'https://host.example/v1'
  const rows: [text: string, result: string][] = [
    ['[a](../../docs/a.md#b)', `[a](${base}/docs/a.md#b)`],
    ['[a](src/a.ts)', `[a](${base}/packages/guard/src/a.ts)`],
    ['[a](https://a.example)', '[a](https://a.example)'],
    ['[a](#b)', '[a](#b)'],
  ]
  for (const [text, result] of rows)
    it(`turns ${text} into ${result}`, () =>
      assert.equal(withRepositoryLinks(text, 'packages/guard', base), result))
})
