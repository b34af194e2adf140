import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

/** A service that runs as a separate process. */
export type Running = AsyncDisposable & {
  readonly url: string
  /** The address of its metrics, when its log names one. */
  readonly metricsUrl: string | undefined
  readonly pid: number
  /** Milliseconds from the start of the process until it listened. */
  readonly startMs: number
  /** Sends SIGTERM, and returns the exit code: null after 30 s, when it is killed. */
  readonly stop: () => Promise<number | null>
}

type StartOptions = {
  readonly folder?: string
  readonly pollUrl?: string
  readonly isReady?: () => Promise<boolean>
  readonly user?: { readonly uid?: number; readonly gid?: number }
}

const startTimeoutMs = 60_000
const stopTimeoutMs = 30_000
const pollEveryMs = 20
const maxErrorText = 10_000

const alive = new Set<ChildProcess>()
process.once('exit', endChildren)

/** Ends all processes that `killAtExit` received. */
export function endChildren(): void {
  for (const child of alive) child.kill('SIGKILL')
}

/** Ends a child process whenever this process ends. */
export function killAtExit<Process extends ChildProcess>(child: Process): Process {
  alive.add(child)
  child.once('close', () => alive.delete(child))
  return child
}

/**
 * Starts a service, and resolves when it listens: with its line `{"msg":"listening","url":...}`, or with its
 * first answer.
 *
 * @param command the program and its arguments
 * @param options.folder the working folder; default that of this process
 * @param options.pollUrl the address of a program that prints no line
 * @param options.isReady asks a program that has no such address
 * @param options.user the user of the process; default that of this process
 * @throws {Error} with the output of the process, when it ends or does not listen within 60 s
 */
export async function startProcess(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  { folder, pollUrl = '', isReady, user }: StartOptions = {},
): Promise<Running> {
  const [program = '', ...args] = command
  const startedMs = performance.now()
  const child = killAtExit(
    spawn(program, args, {
      ...user,
      cwd: folder,
      env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env, PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const { promise, resolve, reject } = Promise.withResolvers<{ url: string; metricsUrl?: string }>()
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const stop = () => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(programOf(child.pid), 'SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
    return ended.finally(() => clearTimeout(timer))
  }
  let output = ''
  const fail = (problem: string) => reject(new Error(`${args.at(-1)} ${problem}: ${output.trim()}`))
  const timer = setTimeout(fail, startTimeoutMs, `did not listen within ${startTimeoutMs} ms`)
  const keep = (text: string) => {
    output = (output + text).slice(-maxErrorText)
  }
  child.stderr.setEncoding('utf8').on('data', keep)
  child.once('error', ({ message }) => fail(message))
  child.once('close', (code) => fail(`ended with ${code}`))
  createInterface(child.stdout).on('line', (line) => {
    keep(`${line}\n`)
    const { msg, ...entry } = line.startsWith('{') ? JSON.parse(line) : {}
    if (msg === 'listening') resolve(entry)
  })
  const answers = isReady ?? (pollUrl && (() => fetch(pollUrl).then(Boolean, () => false)))
  if (answers) void untilTrue(answers, child).then(() => resolve({ url: pollUrl }))
  try {
    const { url, metricsUrl } = await promise
    const dispose = async () => void (await stop())
    const startMs = performance.now() - startedMs
    return { url, metricsUrl, pid: child.pid ?? 0, startMs, stop, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function untilTrue(isReady: () => Promise<boolean>, child: ChildProcess): Promise<void> {
  while (child.exitCode === null && !(await isReady())) await sleep(pollEveryMs)
}

/** The program that bwrap runs: bwrap passes no signals on. Any other process is its own program. */
function programOf(pid: number): number {
  const name = `/proc/${pid}/comm`
  if (!existsSync(name) || readFileSync(name, 'utf8') !== 'bwrap\n') return pid
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  return child ? programOf(Number(child)) : pid
}
