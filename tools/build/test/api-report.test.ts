import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { apiPageFault, readApiPage, writeApiPage } from '../api-page.ts'
import { apiReport } from '../api-report.ts'

const texts = new Map([
  [
    'a/src/index.d.ts',
    "export { type B, c } from './b.ts';\n/** Text. */\nexport declare const a: {\n    readonly b: string;\n};\n",
  ],
  [
    'a/src/b.d.ts',
    '\ndeclare const d: 2;\n' +
      'export type B = {\n    x: 1;\n}\n/** Text. */\n | {\n    y: typeof d;\n};\nexport declare function c(): void;\nexport declare const hidden = 1;\n',
  ],
])
const files = { texts }

describe('an interface report', () => {
  it('lists the exported declarations of each subpath by name', () => {
    assert.equal(
      apiReport(
        '@a/b',
        { exports: { '.': './src/index.ts', './samples': './test/a.ts' } },
        'a',
        files,
      ),
      '## @a/b\n\n```ts\nexport type B = {\n    x: 1;\n} | {\n    y: typeof d;\n};\ndeclare const d: 2;\n\n' +
        'export declare const a: {\n    readonly b: string;\n};\n\nexport declare function c(): void;\n```\n',
    )
  })

  it('lists the commands of a program', () => {
    const entries = { exports: { './main': './src/main.ts' }, bin: { b: 'bin/b.js' } }
    assert.equal(
      apiReport('@a/b', entries, 'a', files),
      '## Commands\n\nThe command `b`, which `@a/b/main` starts too.\n\nThe package exports no names.\n',
    )
  })

  it('does not hide a name without a declaration', () => {
    const broken = { texts: new Map([...texts, ['a/src/b.d.ts', ''] as const]) }
    assert.throws(
      () => apiReport('@a/b', { exports: { '.': './src/index.ts' } }, 'a', broken),
      /declares no B/,
    )
  })
})

describe('a report page', () => {
  const text = writeApiPage('@a/b', 'report\n', 'An entry.')
  const changelog = '- An entry.\n'
  const rows: [title: string, text: string, report: string, changelog: string, fault?: RegExp][] = [
    ['matches its report and changelog entry', text, 'report\n', changelog],
    ['fails with another report', text, 'other\n', changelog, /have changed/],
    ['fails without its entry in the changelog', text, 'report\n', '', /no entry/],
    [
      'fails if it was edited',
      text.replace('An entry', 'An  entry'),
      'report\n',
      changelog,
      /hand/,
    ],
    ['fails if it is empty', '', 'report\n', changelog, /have changed/],
  ]
  for (const [title, page, report, entries, fault] of rows)
    it(title, () => {
      const found = apiPageFault(readApiPage(page), report, entries)
      if (fault === undefined) assert.equal(found, undefined)
      else assert.match(found ?? '', fault)
    })
})
