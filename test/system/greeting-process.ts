import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { freshFolder } from '../fixtures/fresh-folder.ts'

/** The root of the repository. */
export const root = join(import.meta.dirname, '../..')

/** The path with the pinned Node, the command and npm. */
export const pathWithNpm = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`

/** The folder of a short replacement of npx. */
const binFolder = join(root, 'test/fixtures/bin')

/**
 * An environment without settings of this project, and with the pinned Node first in the path. Its
 * npx is a short replacement, because npm takes longer to start than most commands.
 */
export const environment: NodeJS.ProcessEnv = {
  PATH: `${binFolder}:${pathWithNpm}`,
  HOME: process.env.HOME,
  NO_COLOR: '1',
  ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
}

/** The exit code and the output of a command. */
export type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

/** A fresh folder with the packages of a clone. */
export function folderOfClone(): string {
  const folder = freshFolder()
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Runs a command to its end. */
export async function run(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  const child = spawn(command, args, {
    cwd: options.cwd ?? root,
    env: { ...environment, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out = gather(child, 'stdout')
  const err = gather(child, 'stderr')
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out: out(), err: err() }
}

function gather(child: ChildProcess, stream: 'stdout' | 'stderr'): () => string {
  let text = ''
  child[stream]?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return () => text
}

/** The output of `greeting start --json` when the system is ready. */
type Facts = {
  readonly identityProvider: {
    readonly url: string
    readonly httpsUrl: string
    readonly tenantId: string
  }
  readonly api: {
    readonly url: string
    readonly httpsUrl: string
    readonly applicationId: string
  }
  readonly client: { readonly applicationId: string }
  /** Only with `--managed-identity`. */
  readonly managedIdentity?: { readonly url: string }
  readonly clientEnvFile: string
  readonly logFolder: string
  readonly lines: { readonly token: string; readonly hi: string; readonly hello: string }
}

/** The whole system, started like `npm start`. */
export type System = Facts & {
  /** Milliseconds from the start of the command until the system was ready. */
  readonly readyAfterMs: number
  readonly child: ChildProcess
  readonly err: () => string
  /** Sends a signal, and waits until the command has ended. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** Starts the system on free ports and resolves when it is ready. */
export async function startSystem(
  dataDir: string,
  options: {
    /** The words before the options; default `greeting start` */
    command?: readonly [string, ...string[]]
    args?: readonly string[]
    env?: NodeJS.ProcessEnv
    cwd?: string
  } = {},
): Promise<System> {
  const [program, ...words] = options.command ?? ['greeting', 'start']
  const ports = ['--api-port', '0', '--identity-port', '0']
  const args = [...words, '--json', '--data-dir', dataDir, ...ports, ...(options.args ?? [])]
  const startedMs = performance.now()
  const child = spawn(program, args, {
    cwd: options.cwd ?? root,
    env: { ...environment, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out = gather(child, 'stdout')
  const err = gather(child, 'stderr')
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      if (out().includes('\n')) resolve(out())
    })
    ended.then((code) => reject(new Error(`greeting start ended with ${code}: ${err()}`)))
  })
  return {
    ...(JSON.parse(line) as Facts),
    readyAfterMs: performance.now() - startedMs,
    child,
    err,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
  }
}
