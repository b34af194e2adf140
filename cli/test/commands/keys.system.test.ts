import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { before, describe, it } from 'node:test'
import { z } from 'zod'
import { freePort } from '../../../test/fixtures/free-port.ts'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { startIdentityProviderIn } from '../../../test/fixtures/identity-provider.ts'
import { graphClientOf } from '../../src/administrator/administrator-settings.ts'
import { readAdministrator } from '../../src/commands/administrator-command.ts'
import { endedCommand, RecordedTerminal } from '../fakes/terminal.ts'
import { sharedProvider } from '../shared-provider.ts'

type KeyState = { readonly kid: string; readonly phase: string }

describe('the keys of the identity provider', () => {
  let folder: string

  before(async () => {
    folder = (await sharedProvider()).folder
  })

  const keys = (...args: string[]) => endedCommand('keys', ...args, '--data-dir', folder)
  const listed = async (): Promise<KeyState[]> => JSON.parse((await keys('list', '--json')).out)

  it('are listed, each with its phase', async () => {
    const { code, out, err } = await keys('list')
    assert.equal(code, 0, err)
    assert.match(out, /^kid +phase +signs from +phase ends\n/)
    const phases = (await listed()).map(({ phase }) => phase)
    assert.deepEqual(phases, ['active', 'announced'])
  })

  it('are rotated on demand', async () => {
    const [, announced] = await listed()
    const { code, out, err } = await keys('rotate')
    assert.equal(code, 0, err)
    assert.equal(out.split(' ')[0], announced?.kid)
  })

  it('are revoked only after a confirmation', async () => {
    const [first] = await listed()
    const refused = await keys('revoke', first?.kid ?? '')
    assert.equal(refused.code, 2)
    assert.match(refused.err, /Use --yes to confirm/)
    const { code, err } = await keys('revoke', first?.kid ?? '', '--yes')
    assert.equal(code, 0, err)
    assert.ok((await listed()).every(({ kid }) => kid !== first?.kid))
  })

  for (const kid of ['unknown', '-KI3Q9nNR7bRofxmeZoXqbHZGew', '-hC', '--unknown']) {
    it(`are not revoked if they do not exist: ${kid}`, async () => {
      const { code, err } = await keys('revoke', kid, '--yes')
      assert.equal(code, 1)
      assert.ok(err.includes(`/keys/${kid}/revoke`), err)
    })
  }

  it('are revoked one at a time', async () => {
    const { code, err } = await keys('revoke', 'unknown', '--yse')
    assert.equal(code, 2)
    assert.match(err, /too many arguments for 'revoke'/)
  })

  it('are encrypted with another key, and the output names the next step', async () => {
    const keyFile = join(folder, 'next.key')
    await writeFile(keyFile, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
    const { code, out, err } = await keys('reencrypt', '--key-file', keyFile)
    assert.equal(code, 0, err)
    assert.match(out, /^\d+ keys are now encrypted with \S+\.\nRestart every identity provider/)
  })

  it('stay unchanged if the new key is unreadable or invalid', async () => {
    const missing = await keys('reencrypt', '--key-file', join(folder, 'none.key'))
    assert.equal(missing.code, 2)
    assert.match(missing.err, /^Cannot read the key file: /)
    const keyFile = join(folder, 'short.key')
    await writeFile(keyFile, 'canary')
    const short = await keys('reencrypt', '--key-file', keyFile)
    assert.equal(short.code, 1)
    assert.doesNotMatch(short.err, /canary/)
  })

  it('are available without a lab, while greeting lab explains how to start one', async () => {
    const { code, err } = await endedCommand('lab', 'clock', '--data-dir', folder)
    assert.equal(code, 1)
    assert.match(err, /has no lab\n.*greeting start --lab/)
  })
})

describe('a command whose server has an unreachable public origin', () => {
  const greeting = async (input: string, ...args: string[]) => {
    const main = join(import.meta.dirname, '../../bin/greeting.js')
    const child = spawn(process.execPath, [main, ...args, '--settings', '-'])
    child.stdin.on('error', () => undefined).end(input)
    const [[code], out, err] = await Promise.all([
      once(child, 'close'),
      text(child.stdout),
      text(child.stderr),
    ])
    return { code, out, err }
  }

  it('reads the settings from standard input, and sends its requests to --server', async () => {
    const folder = freshFolder()
    const authUrl = 'https://login.invalid'
    const port = await freePort()
    await using _ = await startIdentityProviderIn(folder, { authUrl, port })
    const file = join(folder, 'administrator.env')
    const settings = await readFile(file, 'utf8')
    assert.match(settings, /^AUTH_URL=https:\/\/login\.invalid$/m)
    const server = `http://127.0.0.1:${port}`
    const listed = await greeting(settings, 'keys', 'list', '--server', server)
    assert.equal(listed.code, 0, listed.err)
    assert.match(listed.out, /^kid /)
    // The links of a list have the public origin.
    const options = { dataDir: folder, server }
    const administrator = await readAdministrator(new RecordedTerminal().terminal(), options)
    const page = '/servicePrincipals?$top=1'
    const found = await graphClientOf(administrator, {}).list(page, z.unknown())
    assert.ok(found.length > 1)
  })

  for (const [what, input, args, message] of [
    ['an input over 1 MiB', '#'.repeat(1_048_577), [], /^Cannot read the standard input: it has/],
    ['another URL', '', ['--server', 'file:///tmp'], /It must be an http or https URL/],
  ] as const)
    it(`exits with 2 for ${what}`, async () => {
      const { code, err } = await greeting(input, 'keys', 'list', ...args)
      assert.equal(code, 2)
      assert.match(err, message)
    })
})
