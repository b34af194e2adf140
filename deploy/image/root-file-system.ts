import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { mustRun } from '../../test/packages/program.ts'

/** The mount points that a container runtime adds. */
const mountPoints = ['data', 'dev', 'etc', 'proc', 'tmp']

/** The libraries that a program loads at start, as absolute paths. */
function librariesOf(program: string): string[] {
  const paths = [...mustRun('ldd', [program], '/').matchAll(/(\/\S+) \(0x/g)]
  return paths.map(([, path = '']) => path)
}

/**
 * Writes the root file system of an image without a container engine. The base is this Node and its
 * libraries, in place of the distroless image.
 *
 * @param program the folder of `writeProgram`
 */
export function writeRootFileSystem(program: string, folder: string): void {
  for (const name of mountPoints) mkdirSync(join(folder, name), { recursive: true })
  for (const library of librariesOf(process.execPath)) {
    mkdirSync(join(folder, dirname(library)), { recursive: true })
    copyFileSync(library, join(folder, library))
  }
  mkdirSync(join(folder, 'nodejs/bin'), { recursive: true })
  copyFileSync(process.execPath, join(folder, 'nodejs/bin/node'))
  chmodSync(join(folder, 'nodejs/bin/node'), 0o755)
  writeFileSync(join(folder, 'etc/passwd'), 'nonroot:x:65532:65532::/:/sbin/nologin\n')
  cpSync(program, join(folder, 'app'), { recursive: true })
}

/** The settings that the Containerfile gives to every container of a target. */
export function environmentOf(containerfile: string, target: string): Record<string, string> {
  const stages = readFileSync(containerfile, 'utf8').split(/^FROM /m)
  const lines = stages
    .filter(
      (stage) => / AS (\S+)/.exec(stage)?.[1] === 'runtime' || stage.includes(` AS ${target}\n`),
    )
    .flatMap((stage) => stage.match(/^ENV .*$/gm) ?? [])
  const pairs = lines.join(' ').matchAll(/(\w+)=(\S+)/g)
  return Object.fromEntries([...pairs].map(([, name, value]) => [name, value]))
}

/** The program and the arguments that the Containerfile has for an instruction. */
export function wordsOf(containerfile: string, instruction: 'ENTRYPOINT' | 'CMD'): string[] {
  const line = new RegExp(`^ *${instruction} (\\[.*\\])$`, 'm')
  return JSON.parse(line.exec(readFileSync(containerfile, 'utf8'))?.[1] ?? '[]')
}

/** A user that no file of the image belongs to, as OpenShift chooses one for each namespace. */
const userId = 1_000_730_000

/**
 * The command that runs a program in a root file system as a container runtime does: another user
 * without capabilities, no new privileges, a read-only root and its own processes. The network is
 * that of the machine, so that a test reaches the program.
 *
 * @param program the program and its arguments, as paths in the root file system
 * @param writable folders of this machine by their mount point
 */
export const inNamespace = (
  rootFileSystem: string,
  program: readonly string[],
  writable: Readonly<Record<string, string>> = {},
): string[] => [
  'bwrap',
  ...['--unshare-all', '--share-net', '--as-pid-1', '--die-with-parent'],
  ...['--uid', String(userId), '--gid', '0', '--cap-drop', 'ALL'],
  ...['--ro-bind', rootFileSystem, '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
  ...Object.entries(writable).flatMap(([to, from]) => ['--bind', from, to]),
  '--',
  ...program,
]
