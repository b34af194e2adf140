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
    ['are complete with comments', "export type { B } from './b.ts'\n", []],
    ['are reported without a comment', "export { c } from './b.ts'\n", ['.: c has no comment']],
    ['are reported with an unknown name', "export { d } from './b.ts'\n", ['.: d has no comment']],
    [
      'need an example if they are functions',
      '/** Text. */\nexport function a(): void {}\n',
      ['.: a has no example'],
    ],
    [
      'are complete if a function has an example',
      '/**\n * Text.\n *\n * @example\n * a()\n */\nexport async function a(): Promise<void> {}\n',
      [],
    ],
  ]
  for (const [title, index, faults] of rows)
    it(title, () => {
      assert.deepEqual(found(index), faults)
    })
})
