import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { applicationProperties, fixedValues } from '@greeting/directory'
import { assertGenerated } from '../../../../test/fixtures/generated-files.ts'
import { serverManagementUri } from '../../src/management/privileges/built-in-apis.ts'
import * as reference from './reference-tables.ts'

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path), 'utf8')
const repository = '../../../..'
const page = read(repository, 'docs/reference/graph.md')

describe('docs/reference/graph.md', () => {
  it('lists the operations and refusals in the code', () => {
    assertGenerated(reference)
  })

  it('lists every property with a fixed value, and the scope of the server management API', () => {
    for (const name of Object.keys(fixedValues(applicationProperties)))
      assert.ok(page.includes(`\`${name}\``), name)
    assert.ok(page.includes(`${serverManagementUri}/.default`))
  })

  it('shows how a test creates the Microsoft client', () => {
    const [, snippet = ''] = /```ts\nconst ([\s\S]*?)```/.exec(page) ?? []
    const used = read('microsoft-graph-client.system.test.ts').replaceAll(/^ +/gm, '')
    assert.ok(snippet !== '' && used.includes(snippet.replaceAll(/^ +/gm, '')), snippet)
  })
})
