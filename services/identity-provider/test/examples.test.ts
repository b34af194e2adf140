import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { docstringExamples } from '../../../test/fixtures/docstring-examples.ts'

const packageFolder = join(import.meta.dirname, '..')
const sources = join(packageFolder, 'src')
const at = (file: string) => JSON.stringify(join(sources, file))

const preamble = `
  import { startIdentityProvider } from '@greeting/identity-provider'
  import { createClientCertificate, startLabProvider } from '@greeting/identity-provider/lab'
  import { KeyEncryptionKey } from ${at('signing/key-encryption-key.ts')}
  import { keyScheduleSchema } from ${at('signing/key-schedule.ts')}
  import { readSettings } from ${at('startup/settings.ts')}
  const clientId = 'c'
  const tokenEndpoint = 'https://login.example/t/oauth2/v2.0/token'
`
const registrations = join(packageFolder, '../greeting-api/registrations.json')

describe('the examples of the identity provider', () => {
  it('run without an error', async (t) => {
    const examples = docstringExamples(sources)
    assert.ok(examples.length >= 5, `${examples.length}`)
    // Inside the package, where its name resolves.
    const folder = mkdtempSync(join(packageFolder, 'test/example-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const scoped = examples.map(
      (code) => `{\n${code.replace("'registrations.json'", JSON.stringify(registrations))}}`,
    )
    const file = join(folder, 'example.ts')
    writeFileSync(file, [preamble, ...scoped].join('\n'))
    await import(file)
  })

  it('produce the values in their comments', async () => {
    const { readSettings } = await import('../src/startup/settings.ts')
    const { keyScheduleSchema } = await import('../src/signing/key-schedule.ts')
    assert.equal(readSettings({ PORT: '0' }).PORT, 0)
    assert.equal(keyScheduleSchema.parse({ longestTokenSeconds: 3600 }).retireSeconds, 3900)
    const wrong = { longestTokenSeconds: 3600, announceDays: 0 }
    assert.equal(keyScheduleSchema.safeParse(wrong).success, false)
  })
})
