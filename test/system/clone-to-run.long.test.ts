import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { it } from 'node:test'
import { freshFolder } from '../fixtures/fresh-folder.ts'
import { pathWithNpm, root, run } from './greeting-process.ts'

const maxMegabytes = 50

function bytesIn(folder: string, besides: RegExp): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => !besides.test(name))
    .map((name) => lstatSync(join(folder, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
}

it('a clean clone starts without development dependencies, and installs little besides Node', async (t) => {
  const clone = freshFolder()
  assert.equal(
    spawnSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, clone]).status,
    0,
  )
  // npm has its settings there.
  const env = { ...process.env, PATH: pathWithNpm, NO_COLOR: '1' }
  const flags = ['--prefer-offline', '--no-audit', '--no-fund']
  const installed = await run('npm', ['ci', '--omit=dev', ...flags], { cwd: clone, env })
  assert.equal(installed.code, 0, installed.err)
  const modules = join(clone, 'node_modules')
  const megabytes = bytesIn(modules, /^node-/) / 1e6
  t.diagnostic(`${megabytes.toFixed(1)} MB beside Node`)
  assert.ok(megabytes <= maxMegabytes, `${megabytes} MB`)
  // Addons would need them, and no package here has one.
  assert.deepEqual(
    readdirSync(modules, { recursive: true }).filter((file) =>
      /^node-[^/]+\/include/.test(`${file}`),
    ),
    [],
  )

  const args = ['start', '--', '--api-port', '0', '--identity-port', '0']
  const system = spawn('npm', args, {
    cwd: clone,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(system, 'close')
  for await (const line of createInterface(system.stdout)) if (line.includes('Ctrl-C')) break
  const greeting = await run('npx', ['--no-install', 'greeting', 'hi'], { cwd: clone, env })
  // As Ctrl-C: the terminal signals the group.
  process.kill(-(system.pid ?? 0), 'SIGINT')
  await ended
  assert.equal(greeting.out, 'Hi\n', greeting.err)
})
