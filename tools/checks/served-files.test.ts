import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { root } from './source-tree.ts'

// Their packages take 32 MB, so that they are development dependencies.
for (const [served, original] of [
  ['packages/portal/src/static/pico.css', '@picocss/pico/css/pico.fluid.classless.indigo.min.css'],
  ['services/greeting-api/src/docs/static/swagger-ui.css.gz', 'swagger-ui-dist/swagger-ui.css'],
  [
    'services/greeting-api/src/docs/static/swagger-ui-bundle.js.gz',
    'swagger-ui-dist/swagger-ui-bundle.js',
  ],
] as const)
  it(`${served} has the content of its locked package`, () => {
    const stored = readFileSync(join(root, served))
    const content = served.endsWith('.gz') ? gunzipSync(stored) : stored
    const installed = readFileSync(join(root, 'node_modules', original))
    const advice = `After an update: [gzip -9nc] node_modules/${original} > ${served}`
    assert.ok(content.equals(installed), advice)
  })
