import { createHash } from 'node:crypto'
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mustRun, npm, peerFolder } from '../../test/packages/program.ts'

/** The platforms of the executables, with the program in the package of the pinned Node. */
export const platforms = { 'linux-x64': 'bin/node', 'win-x64': 'bin/node.exe' } as const

/** Files of the built command that a start can read. Maps would double the size. */
const contained =
  /^((lib|bin)\/.*\.js|(lib\/)?(look|static)\/.*|services\/.*\.json|package\.json|LICENSES\.txt)$/

/** Marks the place that Node examines for a program. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/**
 * Writes the command `greeting` as one file that needs no Node, in the way of Node itself.
 *
 * @param built the folder of the built command
 * @throws {Error} when the Node of the platform is not the one of the lock file
 */
export function writeExecutable(
  root: string,
  built: string,
  platform: keyof typeof platforms,
  file: string,
): void {
  const work = mkdtempSync(join(tmpdir(), 'greeting-executable-'))
  try {
    const files = globSync('**', { cwd: built }).map((one) => one.replaceAll('\\', '/'))
    const assets = files.filter((one) => contained.test(one)).map((one) => [one, join(built, one)])
    const config = {
      main: join(import.meta.dirname, 'executable-main.cjs'),
      output: join(work, 'greeting.blob'),
      disableExperimentalSEAWarning: true,
      execArgv: ['--max-semi-space-size=8'],
      assets: Object.fromEntries(assets),
    }
    writeFileSync(join(work, 'config.json'), JSON.stringify(config))
    mustRun(process.execPath, ['--experimental-sea-config', join(work, 'config.json')], work)
    copyFileSync(nodeOf(root, platform, work), file)
    const postject = join(peerFolder, 'postject/dist/cli.js')
    const injected = ['NODE_SEA_BLOB', config.output, '--sentinel-fuse', fuse]
    mustRun(process.execPath, [postject, file, ...injected], work)
  } finally {
    rmSync(work, { recursive: true })
  }
}

/** The pinned Node of a platform. npm installs that of this machine only. */
function nodeOf(root: string, platform: keyof typeof platforms, work: string): string {
  const name = `node-${platform}`
  const program = platforms[platform]
  if (`${process.platform}-${process.arch}`.replace('win32', 'win') === platform)
    return join(root, 'node_modules', name, program)
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const { version, integrity } = packages[`node_modules/${name}`]
  npm(['pack', `${name}@${version}`], work)
  const tarball = readFileSync(join(work, `${name}-${version}.tgz`))
  const found = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  if (found !== integrity) throw new Error(`${name} ${version} is not the one of the lock file`)
  mustRun('tar', ['-xzf', `${name}-${version}.tgz`], work)
  return join(work, 'package', program)
}
