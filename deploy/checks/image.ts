import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../test/fixtures/free-port.ts'
import { mustRun, run } from '../../test/packages/program.ts'
import { writeProgram } from '../image/program.ts'
import {
  environmentOf,
  inNamespace,
  wordsOf,
  writeRootFileSystem,
} from '../image/root-file-system.ts'
import { targets } from '../image/targets.ts'
import { startProcess } from '../running/process.ts'
import { greet, type Launcher, startSeededSystem } from '../running/seeded-system.ts'
import { sourceLauncher } from '../running/source-launcher.ts'
import type { Check } from './check.ts'

/** Assembles all images, and runs them in a namespace without a container engine. */
export const image: Check = { name: 'image', programs: ['bwrap'], run: runImages }

const starts = 5

async function runImages(root: string): Promise<readonly string[]> {
  const work = mkdtempSync(join(tmpdir(), 'greeting-image-'))
  try {
    const sizes: string[] = []
    for (const target of targets) {
      const built = join(work, 'built', target.name)
      await writeProgram(root, target, built)
      writeRootFileSystem(built, join(work, target.name))
      sizes.push(`${target.name}: ${sizeOf(built)}, ${checkBill(join(work, target.name))}`)
    }
    const isolation = checkIsolation(join(work, 'identity-provider'))
    const launcher = imageLauncher(root, work)
    const inImage = await checkSystem(launcher, join(work, 'data/greeting'), launcher)
    const sourceData = join(work, 'source-data')
    const fromSource = await checkSystem(sourceLauncher(root, sourceData), sourceData)
    const command = `without a shell: greeting ${commands.map(({ args }) => args[0]).join(', ')}`
    return [...sizes, isolation, `in the images, ${inImage}`, command, `from source, ${fromSource}`]
  } finally {
    rmSync(work, { recursive: true })
  }
}

function sizeOf(built: string): string {
  mustRun('tar', ['-c', '-z', '-f', '../layer.tar.gz', '-C', built, '.'], built)
  return `compressed layer: ${(statSync(join(built, '../layer.tar.gz')).size / 1e6).toFixed(1)} MB`
}

/** Compares the Node in the list of an image with the one that runs it. */
function checkBill(rootFileSystem: string): string {
  const [program = '', ...args] = inNamespace(rootFileSystem, [
    '/nodejs/bin/node',
    '-p',
    'process.versions.node',
  ])
  const text = readFileSync(join(rootFileSystem, 'app/sbom.cdx.json'), 'utf8')
  const listed: { name: string; version: string }[] = JSON.parse(text).components
  const node = listed.find(({ name }) => name === 'node')
  assert.equal(node?.version, mustRun(program, args, '/').trim())
  return `${listed.length} packages in its list, Node included`
}

/** What a program in the image can do: it tries. */
const attempts = `
  const { readFileSync, statSync, writeFileSync } = require('node:fs')
  const attempt = (action) => { try { action(); return 'done' } catch ({ code }) { return code } }
  console.log(JSON.stringify({
    user: process.getuid(),
    write: attempt(() => writeFileSync('/app/lib/main.js', '')),
    shell: attempt(() => statSync('/bin/sh')),
    capabilities: /CapEff:\\s*(\\w+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1],
  }))`

function checkIsolation(rootFileSystem: string): string {
  const [program = '', ...args] = inNamespace(rootFileSystem, ['/nodejs/bin/node', '-e', attempts])
  const { user, write, shell, capabilities } = JSON.parse(mustRun(program, args, '/'))
  assert.deepEqual({ write, shell }, { write: 'EROFS', shell: 'ENOENT' })
  assert.equal(Number.parseInt(capabilities, 16), 0)
  return `isolation: user ${user}, no capability, no shell, a write to the program is ${write}`
}

/** What `kubectl exec` runs in the image beside its server, and what each prints. */
const commands = [
  { args: ['keys', 'list'], prints: /^kid +phase/ },
  { args: ['audit', '--limit', '1'], prints: /\d{4}-\d\d-\d\d/ },
  { args: ['registrations', 'export'], prints: /"apis"/ },
  { args: ['backup', '--to', '/data/backup'], prints: /is complete/ },
  {
    args: ['restore', '--from', '/data/backup', '--data-dir', '/data/other'],
    prints: /^The store/,
  },
]

/** What only the images have. */
type ImageParts = {
  /** The words of HEALTHCHECK. */
  readonly health: readonly string[]
  readonly runCommands: (server: string) => void
}

/** The images with the settings of the Containerfile. */
function imageLauncher(root: string, work: string): Launcher & ImageParts {
  const containerfile = join(root, 'deploy/Containerfile')
  const folder = join(work, 'identity-provider')
  const data = join(work, 'data')
  mkdirSync(data)
  copyFileSync(
    join(root, 'services/greeting-api/registrations.json'),
    join(data, 'registrations.json'),
  )
  const main = wordsOf(containerfile, 'ENTRYPOINT')
  const settings: Launcher['settings'] = (service) => environmentOf(containerfile, service)
  return {
    command: (service) => inNamespace(join(work, service), main, { '/data': data }),
    settings,
    registrations: '/data/registrations.json',
    health: inNamespace(folder, wordsOf(containerfile, 'CMD'), { '/data': data }),
    runCommands: (server) => {
      const input = readFileSync(join(data, 'greeting/administrator.env'))
      for (const { args, prints } of commands) {
        const isLocal = ['backup', 'restore'].includes(args[0] ?? '')
        const options = isLocal ? [] : ['--settings', '-', '--server', server]
        const words = ['greeting', ...args, ...options]
        const [program = '', ...inside] = inNamespace(folder, words, { '/data': data })
        const env = settings('identity-provider')
        const { stdout, stderr } = spawnSync(program, inside, { input, env })
        assert.match(String(stdout), prints, `greeting ${args.join(' ')}: ${stderr}`)
      }
    },
  }
}

/** Requests a greeting, stops the services, and starts the identity provider again. */
async function checkSystem(
  launcher: Launcher,
  dataDir: string,
  { health: words, runCommands }: Partial<ImageParts> = {},
): Promise<string> {
  const system = await startSeededSystem(launcher, dataDir)
  const { identityProvider, api } = system
  assert.equal(await greet(system, { identityProvider: identityProvider.url, api: api.url }), 'Hi')
  assert.deepEqual([await api.stop(), await identityProvider.stop()], [0, 0])
  const [program = '', ...args] = words ?? [
    ...launcher.command('identity-provider'),
    '--healthcheck',
  ]
  const health = (env: Readonly<Record<string, string>>) => run(program, args, '/', env).status
  const times: number[] = []
  for (let start = 0; start < starts; start += 1) {
    const env = { ...launcher.settings('identity-provider'), PORT: String(await freePort()) }
    await using again = await startProcess(launcher.command('identity-provider'), env)
    times.push(again.startMs)
    if (start === 0) assert.equal(health(env), 0)
    if (start === 0) runCommands?.(`http://127.0.0.1:${env.PORT}`)
    await again.stop()
    if (start === 0) assert.equal(health(env), 1)
  }
  const [fastest = 0] = times.toSorted((a, b) => a - b)
  return `a token, a greeting and a health check; exit code 0; listening ${Math.round(fastest)} ms after the start (the fastest of ${starts})`
}
