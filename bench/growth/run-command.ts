import { spawn } from 'node:child_process'
import { killAtExit } from '../harness/child-processes.ts'

/** What one run of a command cost. */
export type CommandCost = { readonly wallSeconds: number; readonly cpuSeconds: number }

// The shell reports the processor time of its children, which Node does not.
const script = '"$@" >/dev/null; status=$?; times >&2; exit $status'
const timesLine = /(\d{1,6})m([\d.]{1,12})s (\d{1,6})m([\d.]{1,12})s\n?$/

/** The seconds of user and system time in the last line of the shell's `times`. */
export function cpuSecondsOf(times: string): number {
  const [, ...parts] = timesLine.exec(times) ?? []
  const [userMinutes, userSeconds, systemMinutes, systemSeconds] = parts.map(Number)
  if (userMinutes === undefined || userSeconds === undefined) return Number.NaN
  return (
    userMinutes * 60 +
    userSeconds +
    (systemMinutes ?? Number.NaN) * 60 +
    (systemSeconds ?? Number.NaN)
  )
}

/**
 * Runs a command to its end, without its output.
 *
 * @throws {Error} when it ends with another code than 0; the message contains its stderr
 */
export async function runCommand(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  folder: string,
): Promise<CommandCost> {
  const startedMs = performance.now()
  const env = { PATH: process.env.PATH, ...environment }
  const child = killAtExit(
    spawn('sh', ['-c', script, 'sh', ...command], {
      ...{ cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] },
    }),
  )
  let printed = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    printed = (printed + text).slice(-10_000)
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  child.once('close', () => resolve())
  await promise
  const wallSeconds = (performance.now() - startedMs) / 1000
  if (child.exitCode !== 0)
    throw new Error(`${command.slice(1, 4).join(' ')} ended with ${child.exitCode}: ${printed}`)
  return { wallSeconds, cpuSeconds: cpuSecondsOf(printed) }
}
