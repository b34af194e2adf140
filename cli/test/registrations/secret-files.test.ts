import assert from 'node:assert/strict'
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { inspect, parseEnv } from 'node:util'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { secretLines } from '../../src/commands/registrations/apply.ts'
import { SecretFiles, secretFileName } from '../../src/registrations/secret-files.ts'

const settings = { AUTH_URL: 'https://login.example', TENANT_ID: 'tenant' }

const filesIn = (folder: string) =>
  new SecretFiles({
    fileOf: ({ client }) => join(folder, secretFileName(client)),
    settings,
    hasScope: true,
  })

const secret = (client: string) => ({
  client,
  clientId: 'client-id',
  apiApplicationIds: ['one', 'two'],
  secret: 'primary',
  keyId: 'key',
  endDateTime: new Date(0),
  secretText: 'canary~secret',
})

describe('the files of new secrets', () => {
  const names: [string, string][] = [
    ['Greeting client', 'greeting-client.env'],
    ['../../etc/passwd', 'etc-passwd.env'],
    ['Ünïcode & co', 'n-code-co.env'],
    ['...', 'client.env'],
  ]
  for (const [client, file] of names) {
    it(`are named after the client: ${client} in ${file}`, async () => {
      const folder = freshFolder()
      const files = filesIn(folder)
      await files.prepare([{ client, secret: 'primary' }])
      assert.deepEqual(await readdir(folder), [])
      await files.keep(secret(client))
      assert.deepEqual(await readdir(folder), [file])
    })
  }

  it('are refused if one of them would overwrite another', async () => {
    const files = filesIn(freshFolder())
    const twins = ['Greeting client', 'greeting-client'].map((client) => ({ client, secret: 'a' }))
    await assert.rejects(files.prepare(twins), /Several new secrets would have the same file/)
  })

  it('are refused before a change if a name is too long for its draft, even in a valid folder', async () => {
    const files = filesIn(freshFolder())
    // Such a file could exist. It is written under a longer name first.
    const secrets = ['Short', 'L'.repeat(240)].map((client) => ({ client, secret: 'a' }))
    await assert.rejects(files.prepare(secrets), /^CommandFailure: Cannot write new secrets to /)
  })

  const foreign = [
    ['a settings file for a shell', 'export PATH=/x\nalias ll=ls\n'],
    ['settings that are exported to a shell', 'export PATH=/x\n'],
    ['other text', '# Read me\nA text.\n'],
    ['a private key', '-----BEGIN PRIVATE KEY-----\n'],
    ['UTF-16', Buffer.from('\ufeffCLIENT_ID=c\n', 'utf16le')],
  ] as const
  for (const [what, content] of foreign)
    it(`never replace ${what} (CL20)`, async () => {
      const folder = freshFolder()
      const file = join(folder, 'client.env')
      await writeFile(file, content)
      const refused = filesIn(folder).prepare([{ client: 'client', secret: 'a' }])
      await assert.rejects(refused, /Cannot write new secrets to .*(are not settings|UTF-16)/)
      assert.deepEqual(await readFile(file), Buffer.from(content))
    })

  it('keep the other settings in their file, and contain both names of the API', async () => {
    const folder = freshFolder()
    const file = join(folder, 'client.env')
    const key = '-----BEGIN X-----\nabc\n-----END X-----'
    const before = `\ufeffCLIENT_ID=old\n# Ours:\nKEY='${key}'\nBASE_URL=https://api.example\n`
    await writeFile(file, before)
    const files = filesIn(folder)
    await files.prepare([{ client: 'client', secret: 'a' }])
    await files.keep({ ...secret('client'), apiApplicationIds: ['one'] })
    const { CLIENT_ID, BASE_URL, KEY, API_APPLICATION_ID, SCOPE } = parseEnv(
      await readFile(file, 'utf8'),
    )
    assert.deepEqual(
      [CLIENT_ID, BASE_URL, KEY, API_APPLICATION_ID, SCOPE],
      ['client-id', 'https://api.example', key, 'one', 'api://one/.default'],
    )
  })

  it('are not written to a folder that others can change (CL21)', async () => {
    const folder = freshFolder()
    const files = filesIn(folder)
    for (const mode of [0o777, 0o770]) {
      await chmod(folder, mode)
      const refused = files.prepare([{ client: 'client', secret: 'a' }])
      await assert.rejects(refused, /Cannot write new secrets to .*: other users can change/)
    }
    // As in /tmp, only the owner of a file can replace it.
    await chmod(folder, 0o1777)
    await files.prepare([{ client: 'client', secret: 'a' }])
  })

  for (const text of [
    'a\nNODE_OPTIONS=--require=/x.js',
    'a\rB=1',
    'a\0',
    '\u001b[2J',
    'a\u0085B=1',
  ])
    for (const member of ['secretText', 'clientId'] as const)
      it(`contain no control character from a server: ${JSON.stringify(text)} as ${member} (CL22)`, async () => {
        const folder = freshFolder()
        const kept = filesIn(folder).keep({ ...secret('client'), [member]: text })
        await assert.rejects(kept, /has no form that .* can hold/)
        assert.deepEqual(await readdir(folder), [])
      })

  it('are displayed in quotes that a shell understands', () => {
    const given = { ...secret('a"\nB=1'), clientId: '$(touch x)', secretText: `it's a; touch x` }
    const [, ...lines] = secretLines([given]).split('\n')
    assert.deepEqual(lines, [`CLIENT_ID='$(touch x)'`, `CLIENT_SECRET="it's a; touch x"`, ''])
  })

  it('are reported without their content', async () => {
    const files = filesIn(freshFolder())
    await files.keep(secret('Greeting client'))
    assert.doesNotMatch(inspect(files.kept), /canary/)
  })
})
