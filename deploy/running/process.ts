import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** A service that runs as a process of its own. */
export type Running = AsyncDisposable & {
  readonly url: string
  readonly metricsUrl: string | undefined
  /** Milliseconds from the start of the process until it listened. */
  readonly startMs: number
  /** Sends SIGTERM, and returns the exit code. */
  readonly stop: () => Promise<number | null>
}

const startTimeoutMs = 60_000

/**
 * Starts a service, and resolves when it listens.
 *
 * @param command the program and its arguments
 * @throws {Error} with the output of the process, when it does not listen within 60 s
 */
export async function startProcess(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Running> {
  const [program = '', ...args] = command
  const startedMs = performance.now()
  const child = spawn(program, args, {
    env: { ...env, PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const timer = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs)
  const stop = () => {
    if (child.exitCode === null && child.pid !== undefined)
      process.kill(programOf(child.pid), 'SIGTERM')
    return ended
  }
  try {
    const listening = await listeningLine(child)
    return {
      ...listening,
      startMs: performance.now() - startedMs,
      stop,
      [Symbol.asyncDispose]: async () => {
        await stop()
      },
    }
  } finally {
    clearTimeout(timer)
  }
}

/** The program that bwrap runs: bwrap passes no signals on. Any other process is its own program. */
function programOf(pid: number): number {
  const name = `/proc/${pid}/comm`
  if (!existsSync(name) || readFileSync(name, 'utf8') !== 'bwrap\n') return pid
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  return child ? programOf(Number(child)) : pid
}

async function listeningLine({ stdout, stderr }: ChildProcess) {
  if (stdout === null || stderr === null) throw new TypeError('the process has no output')
  let errors = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const lines: string[] = []
  for await (const line of createInterface(stdout)) {
    lines.push(line)
    const { msg, url, metricsUrl } = JSON.parse(line)
    if (msg !== 'listening') continue
    stdout.resume()
    return { url: url as string, metricsUrl: metricsUrl as string | undefined }
  }
  throw new Error(`the service did not start\n${lines.join('\n')}\n${errors}`)
}
