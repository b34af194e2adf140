import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { pinned } from './cores.ts'
import { endWithRun } from './own-process.ts'

export type RunningServer = { readonly url: string; readonly pid: number; stop(): Promise<void> }

export type ServerCommand = {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Working directory of the process. */
  readonly folder: string
}

const startLimitMs = 20_000

/**
 * Starts a server on the given cores and waits for its line `{"msg":"listening","url":...}`.
 *
 * @throws {Error} when it ends or stays silent instead; the message carries what it wrote on stderr
 */
export async function startServer(
  { command, environment, folder }: ServerCommand,
  cores: readonly number[],
): Promise<RunningServer> {
  const child = spawnPinned(command, cores, { ...environment, NODE_ENV: 'production' }, folder)
  const { promise, resolve } = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const url = listeningUrl(line)
    if (url !== undefined) resolve(url)
  })
  try {
    return running(child, await firstOf(child, promise, command))
  } catch (error) {
    await stopped(child)
    throw error
  }
}

/** A server that says nothing when it is ready: it is asked until it answers. */
export async function startSilentServer(
  { command, environment, folder }: ServerCommand,
  cores: readonly number[],
  url: string,
): Promise<RunningServer> {
  const child = spawnPinned(command, cores, environment, folder)
  child.stdout.resume()
  const answering = async () => {
    while (child.exitCode === null) {
      const answered = await fetch(url).then(
        () => true,
        () => false,
      )
      if (answered) return url
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return url
  }
  try {
    return running(child, await firstOf(child, answering(), command))
  } catch (error) {
    await stopped(child)
    throw error
  }
}

const running = (child: Child, url: string): RunningServer => ({
  url,
  pid: child.pid ?? 0,
  stop: () => stopped(child),
})

type Child = ChildProcess & { stdout: Readable; stderr: Readable }

function spawnPinned(
  command: readonly string[],
  cores: readonly number[],
  environment: Readonly<Record<string, string>>,
  folder: string,
): Child {
  const [program = '', ...rest] = pinned(cores, command)
  return endWithRun(
    spawn(program, rest, {
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

async function firstOf(
  child: Child,
  url: Promise<string>,
  command: readonly string[],
): Promise<string> {
  const complaints: string[] = []
  child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk.toString()))
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const fail = (what: string) =>
    reject(new Error(`${command.at(-1)} ${what}: ${complaints.join('').trim()}`))
  const timer = setTimeout(() => fail('did not say that it listens'), startLimitMs)
  child.once('error', (error) => fail(error.message))
  child.once('close', (code) => fail(`ended with ${code}`))
  return Promise.race([url, failed]).finally(() => clearTimeout(timer))
}

function listeningUrl(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined
  const entry: { msg?: unknown; url?: unknown } = JSON.parse(line)
  return entry.msg === 'listening' && typeof entry.url === 'string' ? entry.url : undefined
}

async function stopped(child: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 3_000)
  await ended
  clearTimeout(timer)
}
