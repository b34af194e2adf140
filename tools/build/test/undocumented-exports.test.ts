import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { undocumentedExports } from '../undocumented-exports.ts'

const found = (index: string) =>
  undocumentedExports(
    { '.': './src/index.ts' },
    'a',
    new Map([
      ['a/src/index.ts', index],
      ['a/src/b.ts', '/** Text. */\nexport type B = 1\nexport const c = 2\n'],
    ]),
  )

describe('the exports of a package', () => {
  const rows: readonly (readonly [title: string, index: string, faults: readonly string[]])[] = [
    ['with comments are complete', "export type { B } from './b.ts'\n", []],
    ['without a comment are found', "export { c } from './b.ts'\n", ['.: c has no comment']],
    ['of an unknown name are found', "export { d } from './b.ts'\n", ['.: d has no comment']],
    [
      'that are functions need an example',
      '/** Text. */\nexport function a(): void {}\n',
      ['.: a has no example'],
    ],
    [
      'that are functions with an example are complete',
      '/**\n * Text.\n *\n * @example\n * a()\n */\nexport async function a(): Promise<void> {}\n',
      [],
    ],
  ]
  for (const [title, index, faults] of rows)
    it(title, () => {
      assert.deepEqual(found(index), faults)
    })
})
