import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { inspect } from 'node:util'
import { SecretFiles, secretFileName } from '../../src/registrations/secret-files.ts'

const settings = { AUTH_URL: 'https://login.example', TENANT_ID: 'tenant' }

async function folderFor(test: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'greeting-secrets-'))
  test.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const filesIn = (folder: string) =>
  new SecretFiles({ fileOf: ({ client }) => join(folder, secretFileName(client)), settings })

const secret = (client: string) => ({
  client,
  clientId: 'client-id',
  apiApplicationIds: ['one', 'two'],
  secret: 'primary',
  keyId: 'key',
  endDateTime: new Date(0),
  secretText: 'canary~secret',
})

describe('files of new secrets', () => {
  const names: [string, string][] = [
    ['Greeting client', 'greeting-client.env'],
    ['../../etc/passwd', 'etc-passwd.env'],
    ['Ünïcode & co', 'n-code-co.env'],
    ['...', 'client.env'],
  ]
  for (const [client, file] of names) {
    it(`are named after the client: ${client} in ${file}`, async (test) => {
      const folder = await folderFor(test)
      const files = filesIn(folder)
      await files.prepare([{ client, secret: 'primary' }])
      assert.deepEqual(await readdir(folder), [])
      await files.keep(secret(client))
      assert.deepEqual(await readdir(folder), [file])
    })
  }

  it('are refused when one would overwrite the other', async (test) => {
    const files = filesIn(await folderFor(test))
    const twins = ['Greeting client', 'greeting-client'].map((client) => ({ client, secret: 'a' }))
    await assert.rejects(files.prepare(twins), /Several new secrets would have the same file/)
  })

  it('are refused before a change when a name is too long for its draft, also in a good folder', async (test) => {
    const files = filesIn(await folderFor(test))
    // Such a file could exist. It is written under a longer name first.
    const secrets = ['Short', 'L'.repeat(240)].map((client) => ({ client, secret: 'a' }))
    await assert.rejects(files.prepare(secrets), /^CommandFailure: Cannot write new secrets to /)
  })

  it('are reported without their content', async (test) => {
    const files = filesIn(await folderFor(test))
    await files.keep(secret('Greeting client'))
    assert.doesNotMatch(inspect(files.kept), /canary/)
  })
})
