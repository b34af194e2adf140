import assert from 'node:assert/strict'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { freshFolder } from '../../test/fixtures/fresh-folder.ts'
import { answering, granting, serving } from './fakes/servers.ts'
import { RecordedTerminal } from './fakes/terminal.ts'

/** An identity provider that numbers its tokens, and an API that accepts those from `opensAt` on. */
async function systemOf(test: TestContext) {
  const folder = freshFolder()
  const system = { folder, file: join(folder, 'client.env'), granted: 0, opensAt: 1 }
  const authority = await serving(test, (request, response) => {
    system.granted += 1
    granting(`t${system.granted}`)(request, response)
  })
  const api = await serving(test, (request, response) => {
    const number = Number(/^Bearer t(\d+)$/.exec(request.headers.authorization ?? '')?.[1])
    answering(number >= system.opensAt ? 200 : 403, 'Hi')(request, response)
  })
  const settings = {
    AUTH_URL: authority,
    BASE_URL: api,
    TENANT_ID: 't',
    CLIENT_ID: 'c',
    SCOPE: 's',
  }
  const lines = Object.entries({ ...settings, CLIENT_SECRET: 'secret' })
  writeFileSync(system.file, lines.map((line) => `${line.join('=')}\n`).join(''), { mode: 0o600 })
  const run = async (args: readonly string[], environment = {}) => {
    const terminal = new RecordedTerminal()
    const code = await terminal.run([...args, '--settings', system.file], environment)
    return { code, out: terminal.out, err: terminal.err }
  }
  return { system, run }
}

describe('cached tokens between runs', () => {
  it('are stored beside the settings file, readable only by the owner', async (test) => {
    const { system, run } = await systemOf(test)
    assert.equal((await run(['token'])).out, 't1\n')
    assert.equal((await run(['token'])).out, 't1\n')
    assert.equal((await run(['hi'])).out, 'Hi\n')
    assert.equal(system.granted, 1)
    assert.equal(statSync(join(system.folder, 'tokens.json')).mode & 0o777, 0o600)
  })

  it('are ignored with --force', async (test) => {
    const { run } = await systemOf(test)
    await run(['token'])
    assert.equal((await run(['token', '--force'])).out, 't2\n')
    assert.equal((await run(['token'])).out, 't2\n')
  })

  it('are stored in the file TOKEN_CACHE_FILE, or not at all', async (test) => {
    const { system, run } = await systemOf(test)
    const file = join(system.folder, 'elsewhere.json')
    await run(['token'], { TOKEN_CACHE_FILE: file })
    assert.ok(existsSync(file))
    await run(['token'], { TOKEN_CACHE_FILE: 'off' })
    assert.ok(!existsSync(join(system.folder, 'tokens.json')))
    assert.equal(system.granted, 2)
  })

  it('are replaced if a missing role may have been granted since their issue', async (test) => {
    const { system, run } = await systemOf(test)
    await run(['token'])
    system.opensAt = 2
    assert.equal((await run(['hi'])).out, 'Hi\n')
    assert.equal(system.granted, 2)
  })

  it('are not replaced if the current token is new', async (test) => {
    const { system, run } = await systemOf(test)
    system.opensAt = 99
    assert.equal((await run(['hi'])).code, 4)
    assert.equal(system.granted, 1)
  })
})
