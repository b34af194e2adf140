import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { writeExecutable } from '../../tools/release/executable.ts'
import { Consumer } from './consumer.ts'

const root = join(import.meta.dirname, '../..')

describe('the executable without any other installed program', {
  skip: process.platform !== 'linux',
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-executable-'))
  // The user has renamed it.
  const file = join(folder, 'renamed')
  const work = join(folder, 'work')
  // No home folder, no temporary folder, no Node.
  const env = { HOME: '/nonexistent', TMPDIR: '/nonexistent', PATH: '/nonexistent' }
  const greeting = (...args: string[]) =>
    spawnSync(file, args, { cwd: work, env, encoding: 'utf8' })
  let system: ChildProcess
  let ready: { api: { url: string }; identityProvider: { url: string } }
  let out: AsyncIterator<string>

  before(async () => {
    using consumer = new Consumer().install('cli')
    const built = join(consumer.folder, 'node_modules/@greeting/cli')
    writeExecutable(root, built, 'linux-x64', join(folder, 'greeting'))
    renameSync(join(folder, 'greeting'), file)
    mkdirSync(work)
    const args = ['start', '--json', '--lab', '--api-port', '0', '--identity-port', '0']
    system = spawn(file, args, { cwd: work, env, stdio: ['ignore', 'pipe', 'inherit'] })
    assert.ok(system.stdout)
    out = createInterface(system.stdout)[Symbol.asyncIterator]()
    ready = JSON.parse((await out.next()).value)
  })
  after(() => {
    system.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  it('starts the system, and gets a token and a greeting', () => {
    assert.equal(greeting('hi').stdout, 'Hi\n')
    assert.match(greeting('token').stdout, /^eyJ/)
  })

  it('serves the portal with its style sheet, and the API description', async () => {
    const { api, identityProvider } = ready
    for (const [url, text] of [
      [`${identityProvider.url}/portal`, '<title>'],
      [`${identityProvider.url}/portal/static/pico.css`, 'Pico CSS'],
      [`${api.url}/docs/swagger-ui-bundle.js`, 'swagger'],
    ] as const)
      assert.ok((await (await fetch(url)).text()).includes(text), url)
  })

  it('runs as a linked file, and uses the name by which it was started', () => {
    const link = join(folder, 'linked')
    symlinkSync(file, link)
    const { stdout, stderr } = spawnSync(link, ['keys', 'list'], {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    assert.match(stderr, new RegExp(`run "${link} start"`), stdout)
  })

  it('starts its other programs, such as a backup', () => {
    const { status, stderr } = greeting('backup', '--to', join(folder, 'backup'))
    assert.equal(status, 0, stderr)
  })

  it('needs no writable folder', () => {
    const { status, stdout } = spawnSync(file, ['--version'], { cwd: '/proc', env })
    assert.deepEqual([status, `${stdout}`], [0, greeting('--version').stdout])
  })

  it('stops with Ctrl-C', async () => {
    system.kill('SIGINT')
    assert.deepEqual(await once(system, 'exit'), [0, null])
  })
})
