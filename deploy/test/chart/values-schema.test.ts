import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { assertGenerated } from '../../../test/fixtures/generated-files.ts'
import { badValues } from '../../checks/bad-values.ts'
import { text } from './settings-schema.ts'
import * as valuesPage from './values-page.ts'

const chart = join(import.meta.dirname, '../../chart')
const read = (file: string) => readFileSync(join(chart, file), 'utf8')
const validate = new Ajv2020({ allErrors: true, strict: false }).compile(
  JSON.parse(read('values.schema.json')),
)
type Values = { [key: string]: Values | string | number | boolean }

/** The minimal example with values changed, as `--set` does it. */
function changed(sets: readonly string[]): Values {
  const values = parse(read('examples/minimal.yaml')) as Values
  for (const set of sets) {
    const [path = '', text = ''] = set.split(/=(.*)/s)
    const keys = path
      .replace('[0]', '.0')
      .split(/(?<!\\)\./)
      .map((key) => key.replaceAll('\\', ''))
    const last = keys.pop() ?? ''
    let parent = values
    for (const [index, key] of keys.entries()) {
      parent[key] ??= keys[index + 1] === '0' ? ([] as unknown as Values) : {}
      parent = parent[key] as Values
    }
    parent[last] = /^(true|false|\d+)$/.test(text) ? JSON.parse(text) : text
  }
  return values
}

describe('values.schema.json', () => {
  it('contains the settings of both services (npm run generate writes them)', () => {
    assert.deepEqual(JSON.parse(read('values.schema.json')), JSON.parse(text))
  })

  it('is described by a page, together with values.yaml', () => {
    assertGenerated(valuesPage)
  })

  it('accepts the defaults, and describes each of them', () => {
    const values = parse(read('values.yaml')) as Record<string, Values>
    assert.ok(validate(values), JSON.stringify(validate.errors))
    const { properties } = JSON.parse(read('values.schema.json'))
    for (const service of ['identityProvider', 'api'])
      assert.deepEqual(
        Object.keys(properties[service].properties).toSorted(),
        Object.keys(values[service] ?? {}).toSorted(),
      )
  })

  for (const example of readdirSync(join(chart, 'examples'))) {
    it(`accepts the example ${example}, which has a golden file`, () => {
      assert.ok(validate(parse(read(`examples/${example}`))), JSON.stringify(validate.errors))
      assert.ok(read(`golden/${example}`))
    })
  }

  for (const { problem, set, bySchema } of badValues) {
    it(`${bySchema ? 'refuses' : 'lets the templates refuse'} ${problem}`, () => {
      assert.equal(validate(changed(set)), !bySchema)
    })
  }
})
