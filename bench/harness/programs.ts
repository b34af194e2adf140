import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const benchFolder = join(import.meta.dirname, '..')
export const repositoryFolder = join(benchFolder, '..')
export const bunProgram = join(benchFolder, 'node_modules', '.bin', 'bun')

/** A program that is not part of this repository, how its version is asked and where it comes from. */
type ProgramRow = { readonly ask: readonly [string, ...string[]]; readonly howToGet: string }

const programs = {
  wrk: { ask: ['wrk', '-v'], howToGet: 'apt-get install wrk' },
  haproxy: { ask: ['haproxy', '-v'], howToGet: 'apt-get install haproxy' },
  openssl: { ask: ['openssl', 'version'], howToGet: 'apt-get install openssl' },
  taskset: { ask: ['taskset', '--version'], howToGet: 'apt-get install util-linux' },
  bun: { ask: [bunProgram, '--version'], howToGet: 'npm ci --prefix bench' },
} as const satisfies Record<string, ProgramRow>

export type Program = keyof typeof programs

export const howToGet = (program: Program): string => programs[program].howToGet

/** The first line that each program says of its version; absent programs are left out. */
export function presentPrograms(): Map<Program, string> {
  const found = new Map<Program, string>()
  for (const [name, { ask }] of Object.entries(programs) as [Program, ProgramRow][]) {
    const [program, ...rest] = ask
    const { error, stdout } = spawnSync(program, rest, { encoding: 'utf8' })
    if (error === undefined) found.set(name, versionIn(stdout))
  }
  return found
}

/** The number in what a program says of its version, as `2.6.12` in `HAProxy version 2.6.12-1`. */
export const versionIn = (said: string): string => /\d+\.\d+(\.\d+)?/.exec(said)?.[0] ?? ''

/**
 * Installs what bench/package-lock.json names, unless that was done since the file last changed.
 * The packages of a comparison are paid for by who compares, not by everybody's `npm ci`.
 *
 * @param withBun whether the optional package `bun` is wanted too
 */
export function installPeers(withBun: boolean): void {
  const omit = withBun ? [] : ['--omit=optional']
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', ...omit], {
    cwd: benchFolder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
}

export const peersInstalled = (withBun: boolean): boolean =>
  existsSync(join(benchFolder, 'node_modules', '.package-lock.json')) &&
  (!withBun || existsSync(bunProgram))
