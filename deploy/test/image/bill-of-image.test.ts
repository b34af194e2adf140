import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { billOfImage } from '../../image/bill-of-image.ts'

describe('the bill of materials for an image', () => {
  const folder = freshFolder()
  const component = (name: string) => ({ type: 'library', 'bom-ref': name, name, version: '1.0.0' })
  const add = (path: string, subject: string, ...inside: string[]) => {
    mkdirSync(join(folder, path), { recursive: true })
    const bill = {
      metadata: { component: component(subject) },
      components: inside.map(component),
    }
    writeFileSync(join(folder, path, 'sbom.cdx.json'), JSON.stringify(bill))
  }
  add('.', 'api', 'hono', 'zod')
  add('node_modules/@greeting/cli', 'cli', 'zod', 'croner')
  const manifest = { name: '@greeting/api', version: '0.2.0', license: 'Apache-2.0' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const bill = JSON.parse(billOfImage('greeting-api', folder, '24.1.0'))

  it('lists each package of the built packages once, and Node', () => {
    assert.deepEqual(
      bill.components.map(({ name }: { name: string }) => name),
      ['node', 'cli', 'zod', 'croner', 'api', 'hono'],
    )
  })

  it('names the image as its subject', () => {
    const { type, name, version } = bill.metadata.component
    assert.deepEqual([type, name, version], ['container', 'greeting-api', '0.2.0'])
  })

  it('is valid CycloneDX', () => {
    const manifest = fileURLToPath(import.meta.resolve('@cyclonedx/cyclonedx-library/package.json'))
    const schema = (name: string) =>
      JSON.parse(
        readFileSync(join(dirname(manifest), `res/schema/${name}.SNAPSHOT.schema.json`), 'utf8'),
      )
    const validator = new Ajv({ strict: false, validateFormats: false })
    for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs'])
      validator.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
    const isValid = validator.compile(schema('bom-1.6'))
    assert.ok(isValid(bill), JSON.stringify(isValid.errors))
  })
})
