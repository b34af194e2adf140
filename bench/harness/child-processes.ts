import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** The cores of the server and the core of the load generator, by number. */
export type Cores = { readonly server: readonly number[]; readonly load: readonly number[] }

export type RunningServer = { readonly url: string; stop(): Promise<void> }

export type ServerCommand = {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Working directory of the process. */
  readonly folder: string
  /** Address of a server that prints no line when it listens; it is polled instead. */
  readonly pollUrl?: string
}

type Child = ChildProcess & { stdout: Readable; stderr: Readable }

const startTimeoutMs = 60_000
const stopTimeoutMs = 3_000
const pollEveryMs = 20

/** The numbers in a Linux core list such as `0-1,4`. */
export function coreNumbers(list: string): number[] {
  return list
    .trim()
    .split(',')
    .flatMap((part) => {
      const [first = 0, last = first] = part.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
}

/** The cores that this process may use; none on systems other than Linux. */
export function allowedCores(): number[] {
  if (process.platform !== 'linux') return []
  const status = readFileSync('/proc/self/status', 'utf8')
  return coreNumbers(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '0')
}

/** Splits the cores. On a machine of two, a server of two shares its second core with the load. */
export const assignCores = (allowed: readonly number[], serverCores: 1 | 2): Cores => ({
  server: allowed.slice(0, serverCores),
  load: allowed.slice(Math.min(serverCores, allowed.length - 1)).slice(0, 1),
})

/** A command line that stays on these cores; unchanged without cores. */
export const pinned = (cores: readonly number[], command: readonly string[]): string[] =>
  cores.length === 0 ? [...command] : ['taskset', '-c', cores.join(','), ...command]

/** Moves this process, with all its threads, to these cores. */
export function pinSelf(cores: readonly number[]): void {
  if (cores.length === 0) return
  execFileSync('taskset', ['-a', '-c', '-p', cores.join(','), String(process.pid)])
}

const alive = new Set<ChildProcess>()
process.once('exit', () => endChildren())

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

function start(command: readonly string[], cores: readonly number[], options: object): Child {
  const [program = '', ...rest] = pinned(cores, command)
  return killAtExit(spawn(program, rest, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }))
}

/**
 * Runs a program until it prints the expected line, then ends it.
 *
 * @returns everything that it printed
 * @throws {Error} when it ends without that line; the message contains its output
 */
export async function outputOf(
  command: readonly string[],
  cores: readonly number[],
  expected: RegExp,
): Promise<string> {
  const child = start(command, cores, {})
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (expected.test(printed)) resolve(printed)
    })
  }
  child.once('error', reject)
  child.once('close', () => reject(new Error(`${command[0]} ended and printed: ${printed.trim()}`)))
  return promise.finally(() => child.kill('SIGKILL'))
}

/**
 * Starts a server and waits until it listens: for its line `{"msg":"listening","url":...}`, or for
 * its first answer.
 *
 * @throws {Error} when it ends or does not listen in time; the message contains its stderr
 */
export async function startServer(
  { command, environment, folder, pollUrl }: ServerCommand,
  cores: readonly number[],
): Promise<RunningServer> {
  const env = { PATH: process.env.PATH, ...environment, NODE_ENV: 'production' }
  const child = start(command, cores, { cwd: folder, env })
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  const fail = (problem: string) =>
    reject(new Error(`${command.at(-1)} ${problem}: ${complaints.trim()}`))
  const timer = setTimeout(fail, startTimeoutMs, `did not listen within ${startTimeoutMs} ms`)
  child.once('error', ({ message }) => fail(message))
  child.once('close', (code) => fail(`ended with ${code}`))
  createInterface({ input: child.stdout }).on('line', (line) => {
    const entry: { msg?: string; url?: string } = line.startsWith('{') ? JSON.parse(line) : {}
    if (entry.msg === 'listening' && entry.url !== undefined) resolve(entry.url)
  })
  if (pollUrl !== undefined) void untilAnswered(pollUrl, child).then(() => resolve(pollUrl))
  try {
    return { url: await promise, stop: () => stop(child) }
  } catch (error) {
    await stop(child)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function untilAnswered(url: string, child: Child): Promise<void> {
  const answers = () => fetch(url).then(Boolean, () => false)
  while (child.exitCode === null && !(await answers())) await sleep(pollEveryMs)
}

async function stop(child: Child): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await ended
  clearTimeout(timer)
}
