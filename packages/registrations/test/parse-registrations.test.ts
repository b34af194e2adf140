import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { processorMs } from '../../../test/fixtures/processor-time.ts'
import { parseRegistrations, RegistrationsFileError } from '../src/parse-registrations.ts'
import { acceptedFiles, filesForTheCommandOnly, refusedFiles, sampleFile } from './samples.ts'

const shippedFile = join(import.meta.dirname, '../../../services/greeting-api/registrations.json')
const parse = (file: unknown) => parseRegistrations(JSON.stringify(file))

describe('a registrations file', () => {
  it('gets default values for absent fields', () => {
    const { apis, clients, removed } = parse(sampleFile())
    assert.deepEqual(apis[0]?.appRoles[0]?.allowedMemberTypes, ['Application'])
    assert.equal(apis[0]?.appRoles[0]?.isEnabled, true)
    assert.deepEqual(clients[0]?.secrets, [
      { displayName: 'primary', lifetimeDays: 180, overlapDays: 30 },
    ])
    assert.deepEqual(removed, [])
  })

  it('may contain all eight fields of an app role (contract C20 to C27)', () => {
    const entry = {
      allowedMemberTypes: ['Application'],
      description: 'Grants access to the hi endpoint.',
      displayName: 'Call hi',
      id: '5D7F1E52-0C0B-4B0A-9C39-F1C8E3BFCE01',
      isEnabled: true,
      lang: null,
      origin: 'Application',
      value: 'CallHiApiRole',
    }
    const { apis } = parse({ apis: [{ displayName: 'Greeting API', appRoles: [entry] }] })
    assert.deepEqual(apis[0]?.appRoles[0], { ...entry, id: entry.id.toLowerCase() })
  })

  for (const { name, file } of [...acceptedFiles, ...filesForTheCommandOnly]) {
    it(`is accepted with ${name}`, () => {
      assert.doesNotThrow(() => parseRegistrations(file))
    })
  }

  for (const { name, file, message } of refusedFiles) {
    it(`is refused with ${name}`, () => {
      assert.throws(
        () => parseRegistrations(file),
        (error: unknown) =>
          error instanceof RegistrationsFileError &&
          error.code === 'registrations_file_invalid' &&
          error.message.startsWith(message),
      )
    })
  }

  it('exists in this repository for `greeting start`', () => {
    const { apis } = parseRegistrations(readFileSync(shippedFile))
    const values = apis.flatMap(({ appRoles }) => appRoles.map(({ value }) => value))
    assert.deepEqual(values, ['CallHiApiRole', 'CallHelloApiRole'])
  })

  it('is refused with a list of all its errors', () => {
    assert.throws(
      () => parse({ apis: [{ displayName: '' }], clients: {} }),
      (error) => error instanceof RegistrationsFileError && error.issues.length === 3,
    )
  })

  it('is refused without delay if it is deeply nested', () => {
    const depth = 100_000
    const file = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    const ms = processorMs(() =>
      assert.throws(() => parseRegistrations(file), {
        message: 'a is not a property of this format',
      }),
    )
    assert.ok(ms < 5_000, `${ms} ms`)
  })

  it('may start with a byte order mark, both as bytes and as text', () => {
    assert.deepEqual(parseRegistrations(Buffer.from('\ufeff{}')).apis, [])
    assert.deepEqual(parseRegistrations('\ufeff{}').apis, [])
  })
})
