import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pinned } from '../cores.ts'

export type RunningServer = {
  readonly url: string
  /** The address of its metrics, when its log names one. */
  readonly metricsUrl?: string | undefined
  stop(): Promise<void>
}

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
  const { promise, resolve, reject } = Promise.withResolvers<Omit<RunningServer, 'stop'>>()
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
    const entry: { msg?: string; url?: string; metricsUrl?: string } = line.startsWith('{')
      ? JSON.parse(line)
      : {}
    const { msg, url, metricsUrl } = entry
    if (msg === 'listening' && url !== undefined) resolve({ url, metricsUrl })
  })
  if (pollUrl !== undefined)
    void untilAnswered(pollUrl, child).then(() => {
      resolve({ url: pollUrl, metricsUrl: undefined })
    })
  try {
    return { ...(await promise), stop: () => stop(child) }
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
