import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'

export const benchFolder = join(import.meta.dirname, '..')
export const repositoryFolder = join(benchFolder, '..')
export const bunProgram = join(benchFolder, 'node_modules', '.bin', 'bun')

/** The command that runs a TypeScript file, without the name of the file. */
export const runtimes = { node: [process.execPath], bun: [bunProgram, 'run'] } as const

export const serverFile = (name: string): string => join(benchFolder, 'servers', name)

/** The programs outside this repository: the command that prints the version, and how to install each. */
export const programs = {
  wrk: { ask: ['wrk', '-v'], howToGet: 'apt-get install wrk' },
  haproxy: { ask: ['haproxy', '-v'], howToGet: 'apt-get install haproxy' },
  openssl: { ask: ['openssl', 'version'], howToGet: 'apt-get install openssl' },
  taskset: { ask: ['taskset', '--version'], howToGet: 'apt-get install util-linux' },
  bun: { ask: [bunProgram, '--version'], howToGet: 'npm ci --prefix bench' },
} as const

export type Program = keyof typeof programs

/** The version of each installed program. */
export function presentPrograms(): Map<Program, string> {
  const found = new Map<Program, string>()
  for (const [name, { ask }] of Object.entries(programs) as [
    Program,
    (typeof programs)[Program],
  ][]) {
    const [program, ...rest] = ask
    const { error, stdout } = spawnSync(program, rest, { encoding: 'utf8' })
    if (error === undefined) found.set(name, versionIn(stdout))
  }
  return found
}

/** The version number in the output of a program: `2.6.12` in `HAProxy version 2.6.12-1`. */
export const versionIn = (output: string): string => /\d+\.\d+(\.\d+)?/.exec(output)?.[0] ?? ''

/**
 * Installs the packages of bench/package-lock.json when they are missing. They are not part of the
 * repository's `npm ci`.
 *
 * @param withBun whether to install the optional package `bun` too
 */
export function installMissingPeers(withBun: boolean, progress: (step: string) => void): void {
  if (peersInstalled(withBun)) return
  progress('installing the packages of bench/package-lock.json')
  const omit = withBun ? [] : ['--omit=optional']
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', ...omit], {
    cwd: benchFolder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
}

const peersInstalled = (withBun: boolean): boolean =>
  existsSync(join(benchFolder, 'node_modules', '.package-lock.json')) &&
  (!withBun || existsSync(bunProgram))

/** The machine and the versions of a run in one sentence, without host names and paths. */
export function describeMachine(present: ReadonlyMap<Program, string>): string {
  const cores = cpus()
  const versions = [...present].map(([name, version]) => `${name} ${version}`)
  return [
    `${cores.length} cores of ${cores[0]?.model.trim() ?? 'an unknown processor'}`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    `${process.platform} ${release().split('-')[0]} ${process.arch}`,
    [`Node ${process.versions.node}`, ...versions].join(', '),
  ].join('; ')
}
