import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { benchFolder, cores } from '../machine.ts'
import { type ServerProcess, startServer } from '../server-process.ts'

const cacheFolder = join(benchFolder, 'node_modules', '.cache')

/** A program whose sources are in `servers/`. */
type Source = {
  readonly folder: string
  /** Does nothing when the program is as new as its sources. */
  readonly build: readonly string[]
  readonly program: string
  /** The file with the versions of its libraries, and how to find those of the title. */
  readonly lock: string
  readonly libraries: RegExp
}

const goProgram = join(cacheFolder, 'go', 'bench')
const rustFolder = join(cacheFolder, 'rust')

export const sources = {
  go: {
    folder: join(benchFolder, 'servers', 'go'),
    build: ['go', 'build', '-o', goProgram, '.'],
    program: goProgram,
    lock: 'go.mod',
    libraries: /(golang-jwt|keyfunc)\S* v(\S+)/g,
  },
  rust: {
    folder: join(benchFolder, 'servers', 'rust'),
    build: ['cargo', 'build', '--quiet', '--release', '--locked', '--target-dir', rustFolder],
    program: join(rustFolder, 'release', 'bench'),
    lock: 'Cargo.lock',
    libraries: /name = "(axum|jsonwebtoken)"\nversion = "(.+)"/g,
  },
} as const satisfies Readonly<Record<string, Source>>

/** The libraries of a program, each with its version. */
export const librariesOf = ({ folder, lock, libraries }: Source): string[] =>
  [...readFileSync(join(folder, lock), 'utf8').matchAll(libraries)].map(
    ([, name, version]) => `${name} ${version}`,
  )

/** Builds a program on all cores of this run, and starts it. */
export function startCompiled(
  { folder, build, program }: Source,
  id: string,
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const { server, load } = cores()
  const stdio = ['ignore', 'ignore', 'inherit'] as const
  execFileSync('taskset', ['-c', `${server},${load}`, ...build], { cwd: folder, stdio: [...stdio] })
  return startServer({ command: [program, id], environment, folder })
}
