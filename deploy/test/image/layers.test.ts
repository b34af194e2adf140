import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { stylesOf } from '../../image/layers.ts'

const root = join(import.meta.dirname, '../../..')

for (const [path, styles] of [
  ['services/identity-provider', ['pico.fluid.classless.indigo.min.css']],
  ['services/greeting-api', []],
] as const)
  it(`the image of ${path} has ${styles.length} style sheet(s) of dependencies`, () => {
    assert.deepEqual([...stylesOf(root, { path })], styles)
  })
