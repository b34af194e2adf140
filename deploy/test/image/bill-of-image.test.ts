import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { billOfImage } from '../../image/bill-of-image.ts'

describe('the list of what lies in an image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-bill-'))
  after(() => rmSync(folder, { recursive: true }))
  const add = (path: string, manifest: object) => {
    mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify(manifest))
  }
  add('program', { name: '@greeting/api', version: '0.2.0', license: 'Apache-2.0' })
  add('program/node_modules/@greeting/guard', { name: '@greeting/guard', version: '0.2.0' })
  add('dependencies/node_modules/hono', { name: 'hono', version: '4.0.0', license: 'MIT' })
  add('dependencies/node_modules/hono/dist/cjs', { type: 'commonjs' })
  add('dependencies/node_modules/hono/node_modules/split', { name: 'split', version: '1.0.0' })
  add('dependencies/node_modules/@scope/alias', { name: 'empty', version: '1.0.0' })
  const integrity = (byte: number) => `sha512-${Buffer.alloc(64, byte).toString('base64')}`
  const packages = {
    'node_modules/hono': { version: '4.0.0', integrity: integrity(0x11) },
    'node_modules/@scope/alias': { name: 'empty', version: '1.0.0', integrity: integrity(0x22) },
    'node_modules/split': { version: '2.0.0', integrity: integrity(0x33) },
  }
  const text = billOfImage('greeting-api', folder, JSON.stringify({ packages }), '24.1.0')
  const bill = JSON.parse(text)

  it('has each package of the layers once, and Node', () => {
    assert.deepEqual(
      bill.components.map(({ purl, hashes }: { purl: string; hashes?: { content: string }[] }) => [
        purl,
        hashes?.[0]?.content,
      ]),
      [
        ['pkg:generic/node@24.1.0', undefined],
        ['pkg:npm/empty@1.0.0', '22'.repeat(64)],
        ['pkg:npm/split@1.0.0', undefined],
        ['pkg:npm/hono@4.0.0', '11'.repeat(64)],
        ['pkg:npm/%40greeting/guard@0.2.0', undefined],
      ],
    )
  })

  it('has the image as its subject', () => {
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
