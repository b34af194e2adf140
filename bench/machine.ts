import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'

export const benchFolder = import.meta.dirname
export const repositoryFolder = join(benchFolder, '..')
const bunProgram = join(benchFolder, 'node_modules', '.bin', 'bun')

/** The command that runs a TypeScript file; append the file name. */
export const runtimes = { node: [process.execPath], bun: [bunProgram, 'run'] } as const

/** The programs that npm does not install: the command that prints the version, and its package. */
const programs = {
  haproxy: [['haproxy', '-v'], 'apt-get install haproxy'],
  envoy: [['envoy', '--version'], 'the packages of envoyproxy.io'],
  'oauth2-proxy': [
    ['oauth2-proxy', '--version'],
    'go install github.com/oauth2-proxy/oauth2-proxy/v7@latest',
  ],
  openssl: [['openssl', 'version'], 'apt-get install openssl'],
  go: [['go', 'version'], 'the downloads of go.dev'],
  cargo: [['cargo', '--version'], 'rustup of rust-lang.org'],
  bun: [[bunProgram, '--version'], 'npm ci --prefix bench'],
} as const

export type Program = keyof typeof programs
const names = Object.keys(programs) as Program[]

/** The version of an installed program; undefined without it. */
export function versionOf(name: Program): string | undefined {
  const [[program, ...rest]] = programs[name]
  const { error, stdout } = spawnSync(program, rest, { encoding: 'utf8' })
  return error === undefined
    ? (/(?<!with go[\d.]*)\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? '')
    : undefined
}

export const howToGet = (name: Program): string => programs[name][1]

/** Installs the packages of bench/package-lock.json, which the `npm ci` of the repository does not install. */
export function installPeers({ tiny }: { readonly tiny: boolean }): void {
  const isInstalled = existsSync(join(benchFolder, 'node_modules', '.package-lock.json'))
  if (isInstalled && (tiny || existsSync(bunProgram))) return
  console.error('installing the packages of bench/package-lock.json')
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', ...(tiny ? ['--omit=optional'] : [])], {
    cwd: benchFolder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

type Cores = { readonly server: number; readonly load: number }
let coresAtStart: Cores | undefined

/**
 * The first two cores that this process may use at its start: one for the server, one for the load.
 * Later the process may be limited to the latter.
 */
export function cores(): Cores {
  coresAtStart ??= allowedCores()
  return coresAtStart
}

function allowedCores(): Cores {
  const status = readFileSync('/proc/self/status', 'utf8')
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '0'
  const [server = 0, load = server] = list.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
  return { server, load }
}

/** Limits this process, with all its threads, to the core of the load. */
export function stayOnLoadCore(): void {
  execFileSync('taskset', ['-a', '-c', '-p', String(cores().load), String(process.pid)])
}

// Linux counts processor time in hundredths of a second.
const ticksPerSecond = 100

/** The CPU time that a process has used, with all its threads, in seconds. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program, in parentheses, may contain blanks.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) / ticksPerSecond
}

/** The date, the machine and the versions of a run, without host names and paths. */
export function describeRun(): string {
  const [core, ...others] = cpus()
  const versions = names.flatMap((name) => {
    const version = versionOf(name)
    return version === undefined ? [] : [`${name} ${version}`]
  })
  const machine = [
    new Date().toISOString().slice(0, 10),
    `${others.length + 1} cores of ${core?.model.trim() ?? 'an unknown processor'}`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    `load average ${loadavg()[0]?.toFixed(1)}`,
  ].join('; ')
  return `${machine}. ${[`Node ${process.versions.node}`, ...versions].join(', ')}`
}
