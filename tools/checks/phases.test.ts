import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { read } from './source-tree.ts'

/** Files with numbered phases, and the section of a README that lists the same phases. */
const procedures = [
  {
    source: 'services/identity-provider/src/endpoints/token-endpoint.ts',
    readme: 'services/identity-provider/README.md',
    section: 'A token request',
  },
  {
    source: 'services/identity-provider/src/management/operations/execute-operation.ts',
    readme: 'services/identity-provider/README.md',
    section: 'A role grant',
  },
  {
    source: 'packages/guard/src/guard.ts',
    readme: 'packages/guard/README.md',
    section: 'The way of a request',
  },
]

describe('the phases in a README', () => {
  for (const { source, readme, section } of procedures)
    it(`match the numbered comments in ${source}`, () => {
      const comments = [...read(source).matchAll(/^ *\/\/ (\d\. .*)$/gm)]
      const text = read(readme).split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? ''
      const phases = [...text.matchAll(/^\| (\d\. [^|]+) \|/gm)]
      assert.equal(phases.length, 6)
      assert.equal(comments.length, phases.length)
      for (const [index, [, phase = '']] of phases.entries())
        assert.ok(comments[index]?.[1]?.startsWith(phase), `${comments[index]} is not "${phase}"`)
    })
})
