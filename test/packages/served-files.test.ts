import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { gunzipSync } from 'node:zlib'

const root = join(import.meta.dirname, '../..')
const installed = join(import.meta.dirname, 'node_modules')
const { packages } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'package-lock.json'), 'utf8'),
)
const terms = 'tools/build/served'

// Their packages take 32 MB, so that the source has these files, and only these tests install the packages.
for (const [stored, original] of [
  ['packages/portal/src/static/pico.css', '@picocss/pico/css/pico.fluid.classless.indigo.min.css'],
  ['services/greeting-api/src/docs/static/swagger-ui.css.gz', 'swagger-ui-dist/swagger-ui.css'],
  [
    'services/greeting-api/src/docs/static/swagger-ui-bundle.js.gz',
    'swagger-ui-dist/swagger-ui-bundle.js',
  ],
  [`${terms}/@picocss/pico/LICENSE`, '@picocss/pico/LICENSE.md'],
  ...[
    'swagger-ui-dist/LICENSE',
    'swagger-ui-dist/NOTICE',
    'swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt',
  ].map((file) => [`${terms}/${file}`, file] as const),
] as const)
  it(`${stored} matches its locked package`, () => {
    const bytes = readFileSync(join(root, stored))
    const content = stored.endsWith('.gz') ? gunzipSync(bytes) : bytes
    const advice = `After an update: [gzip -9nc] test/packages/node_modules/${original} > ${stored}`
    assert.ok(content.equals(readFileSync(join(installed, original))), advice)
  })

for (const name of ['@picocss/pico', 'swagger-ui-dist'])
  it(`${terms}/${name}/package.json has the version, license and hash of the locked package`, () => {
    const { version, license, integrity } = packages[`node_modules/${name}`]
    const manifest = JSON.parse(readFileSync(join(root, terms, name, 'package.json'), 'utf8'))
    assert.deepEqual(manifest, { name, version, license, integrity })
  })
