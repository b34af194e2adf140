import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { cores } from './machine.ts'

export type ServerCommand = {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Working directory of the process. */
  readonly folder: string
  /** Address of a server that prints no line when it listens; it is polled instead. */
  readonly pollUrl?: string
}

export type ServerProcess = AsyncDisposable & {
  readonly url: string
  /** The address of its metrics, when its log names one. */
  readonly metricsUrl?: string | undefined
  readonly pid: number
  stop(): Promise<void>
}

const startTimeoutMs = 60_000
const stopTimeoutMs = 5_000
const pollEveryMs = 20

const alive = new Set<ChildProcess>()
process.once('exit', endChildren)

/** Ends all child processes of the bench at once. */
export function endChildren(): void {
  for (const child of alive) child.kill('SIGKILL')
}

/** Ends a child process when this process ends in any way. */
export function killAtExit<Process extends ChildProcess>(child: Process): Process {
  alive.add(child)
  child.once('close', () => alive.delete(child))
  return child
}

/** A command line that stays on the core of the servers. */
export const onServerCore = (command: readonly string[]): string[] => [
  ...['taskset', '-c', String(cores().server)],
  ...command,
]

/**
 * Starts a server on its core and waits until it listens: for its line `{"msg":"listening","url":...}`,
 * or for its first answer.
 *
 * @throws {Error} when it ends or does not listen within a minute; the message contains its stderr
 */
export async function startServer(server: ServerCommand): Promise<ServerProcess> {
  const { command, environment, folder, pollUrl } = server
  const [program = '', ...rest] = onServerCore(command)
  const env = { PATH: process.env.PATH, ...environment, NODE_ENV: 'production' }
  const child = killAtExit(
    spawn(program, rest, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  const { promise, resolve, reject } = Promise.withResolvers<{ url: string; metricsUrl?: string }>()
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-10_000)
  })
  const fail = (problem: string) =>
    reject(new Error(`${command.at(-1)} ${problem}: ${complaints.trim()}`))
  const timer = setTimeout(fail, startTimeoutMs, `did not listen within ${startTimeoutMs} ms`)
  child.once('error', ({ message }) => fail(message))
  child.once('close', (code) => fail(`ended with ${code}`))
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { msg, ...entry } = line.startsWith('{') ? JSON.parse(line) : {}
    if (msg === 'listening') resolve(entry)
  })
  if (pollUrl !== undefined)
    void untilAnswered(pollUrl, child).then(() => resolve({ url: pollUrl }))
  try {
    const { url, metricsUrl } = await promise
    const end = () => stop(child)
    return { url, metricsUrl, pid: child.pid ?? 0, stop: end, [Symbol.asyncDispose]: end }
  } catch (error) {
    await stop(child)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function untilAnswered(url: string, child: ChildProcess): Promise<void> {
  const answers = () => fetch(url).then(Boolean, () => false)
  while (child.exitCode === null && !(await answers())) await sleep(pollEveryMs)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await ended
  clearTimeout(timer)
}
