#!/usr/bin/env node
// Runs after `npm ci`, on the installed Node: plain JavaScript for Node 20, without dependencies.
// npm compares the packages of the runtime with the hashes of the lock file. Two things remain:
// - npm 10 removes the link `.bin/node` together with the packages of the other platforms, which
//   have a program of the same name.
// - npm leaves out an optional package without a message when its hash is another one.
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = join(root, 'node_modules')
const programs = join(modules, '.bin')
const manifestIn = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

const isWindows = process.platform === 'win32'
const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`
const declared = manifestIn(root).optionalDependencies[name]

if (!existsSync(join(root, 'package-lock.json'))) refuseForeignFolder()
else if (declared !== undefined) linkRuntime()

// npm packs a git address without the lock file and without the build.
function refuseForeignFolder() {
  const { npm_command: command, npm_lifecycle_event: event } = process.env
  // npx hides what an install script prints, also when it fails. It then runs a program: this file.
  if (command === 'exec' && event === 'postinstall') {
    const program = join(root, '../.bin/greeting')
    if (!isWindows && !existsSync(program)) symlinkSync('../greeting/tools/link-node.js', program)
    return
  }
  process.stderr.write(
    'This repository cannot be installed from git: its packages are built first. Clone it, run "npm ci && npm run build" and "npm pack ./cli/dist", and install the tarball.\n',
  )
  process.exitCode = 1
}

function linkRuntime() {
  const installed = installedVersion()
  if (installed !== declared) {
    throw new Error(
      `${name} ${declared} is not installed (found: ${installed}). It could not be fetched, or its hash is not the one in package-lock.json.`,
    )
  }
  // 67 MB of headers for addons, which no package here has.
  rmSync(join(modules, name, 'include'), { recursive: true, force: true })
  const program = isWindows ? 'node.exe' : 'node'
  const target = join(modules, name, 'bin', program)
  const link = join(programs, program)
  if (fileId(link) === fileId(target)) return
  mkdirSync(programs, { recursive: true })
  rmSync(link, { force: true })
  // A symbolic link needs a right of its own on Windows.
  if (isWindows) linkSync(target, link)
  else symlinkSync(relative(programs, target), link)
}

function installedVersion() {
  try {
    return manifestIn(join(modules, name)).version
  } catch {
    return 'none'
  }
}

function fileId(path) {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.dev} ${stats.ino}`
}
