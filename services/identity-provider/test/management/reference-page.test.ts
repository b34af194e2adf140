import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { applicationProperties } from '../../src/directory/application/application.ts'
import { fixedValues } from '../../src/directory/properties/property.ts'
import { serverManagementUri } from '../../src/management/privileges/built-in-apis.ts'
import { referenceTables } from './reference-tables.ts'

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path), 'utf8')
const docs = '../../../../docs'
const page = read(docs, 'reference/graph.md')

describe('docs/reference/graph.md', () => {
  for (const [name, table] of Object.entries(referenceTables))
    it(`has ${name} of the code`, () => {
      assert.ok(page.includes(table), `The page should have this table:\n${table}`)
    })

  it('names every property with a fixed value, and the scope of the API of the server', () => {
    for (const name of Object.keys(fixedValues(applicationProperties)))
      assert.ok(page.includes(`\`${name}\``), name)
    assert.ok(page.includes(`${serverManagementUri}/.default`))
  })
})

describe('docs/guides/graph.md', () => {
  it('shows the lines by which a test creates the client of Microsoft', () => {
    const [, snippet = ''] = /```ts\nconst ([\s\S]*?)```/.exec(read(docs, 'guides/graph.md')) ?? []
    const used = read('microsoft-graph-client.system.test.ts').replaceAll(/^ +/gm, '')
    assert.ok(snippet !== '' && used.includes(snippet.replaceAll(/^ +/gm, '')), snippet)
  })
})
