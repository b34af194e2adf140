import assert from 'node:assert/strict'
import { it } from 'node:test'
import { files, read } from './source-tree.ts'

const product = /^(?:packages\/[^/]+|services\/[^/]+|cli)\/src\/(?!.*(?:\.gz|\/pico\.css)$)/
const tools =
  /^(?:bench|deploy|docs\/site|test\/(?:mutants|packages|system\/(?:attack|unmodified))|tools)\/.*\.(?:[jt]s|mjs|sh)$/

// Blank lines and comments count too.
for (const [part, paths, figure] of [
  ['product', product, 70_964],
  ['tools', tools, 22_895],
] as const)
  it(`the source of the ${part} has at most ${figure} lines, and at most 500 fewer`, () => {
    const lines = files
      .filter((file) => paths.test(file))
      .reduce((sum, file) => sum + read(file).split('\n').length - 1, 0)
    const advice =
      'Lower the figure in tools/checks/weight.test.ts if the count fell. Raise it with the reason in the same commit.'
    assert.ok(lines <= figure && lines > figure - 500, `${lines} lines. ${advice}`)
  })
