import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of the packages that these tests use besides the packed ones. */
export const peerFolder = join(import.meta.dirname, 'node_modules')

export type Finished = {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const timeoutMs = 1_800_000

/** Runs a program to its end, without a shell. */
export function run(
  program: string,
  args: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Finished {
  const env = { ...process.env, ...environment }
  // The runner of Node makes a nested runner report to it.
  delete env.NODE_TEST_CONTEXT
  return spawnSync(program, args, { cwd: folder, encoding: 'utf8', env, timeout: timeoutMs })
}

/** Runs a program, and throws with its output when it fails. */
export function mustRun(...args: Parameters<typeof run>): string {
  const { status, stdout, stderr } = run(...args)
  if (status !== 0)
    throw new Error(`${args[0]} ${args[1].join(' ')}: ${status}\n${stdout}${stderr}`)
  return stdout
}

/** The npm script that runs this process, or the one of the installed Node. */
export function npmScript(): string {
  const { npm_execpath: script } = process.env
  if (script?.endsWith('npm-cli.js')) return script
  for (const folder of (process.env.PATH ?? '').split(process.platform === 'win32' ? ';' : ':')) {
    for (const modules of ['../lib/node_modules', 'node_modules']) {
      const found = join(folder, modules, 'npm/bin/npm-cli.js')
      if (existsSync(found)) return found
    }
  }
  throw new Error(`npm is not beside ${dirname(process.execPath)}`)
}

/** Runs npm without a shell, on every platform. */
export const npm = (args: readonly string[], folder: string): string =>
  mustRun(process.execPath, [npmScript(), ...args], folder, { npm_config_loglevel: 'error' })

/** Runs npx without a shell. */
export const npx = (args: readonly string[], folder: string): Finished =>
  run(process.execPath, [npmScript().replace('npm-cli', 'npx-cli'), ...args], folder)

const architecture = process.arch
const platformPackage = (name: string) => join(peerFolder, name)

/** The programs of other runtimes, from the packages of this platform. */
export const runtimes = {
  'Node 22': platformPackage(`node22-linux-${architecture}/bin/node`),
  'Node 24': process.execPath,
  'Node 26': platformPackage(`node26-linux-${architecture}/bin/node`),
  Bun: platformPackage(`@oven/bun-linux-${architecture === 'arm64' ? 'aarch64' : 'x64'}/bin/bun`),
  Deno: platformPackage(`@deno/linux-${architecture}-glibc/deno`),
  workerd: platformPackage(
    `@cloudflare/workerd-linux-${architecture === 'arm64' ? 'arm64' : '64'}/bin/workerd`,
  ),
} as const
