import { readFileSync } from 'node:fs'

/** For how long the given cores were busy, as `/proc/stat` says, in seconds (see proc_stat(5)). */
export function busySecondsIn(stat: string, cores: readonly number[]): number {
  let busy = 0
  for (const core of cores) {
    const ticks = new RegExp(`^cpu${core} (.*)$`, 'm').exec(stat)?.[1]?.split(' ').map(Number) ?? []
    const [, , , idle = 0, waiting = 0] = ticks
    busy += ticks.slice(0, 8).reduce((sum, tick) => sum + tick, 0) - idle - waiting
  }
  return busy / ticksPerSecond
}

/** The processor time in what `/proc/{pid}/stat` says, in seconds (see proc_pid_stat(5)). */
export function processorSecondsIn(stat: string): number {
  // The name of the program, in brackets, may hold anything: what counts comes after it.
  const [, , , , , , , , , , , user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  return (user + system) / ticksPerSecond
}

const ticksPerSecond = 100

const processorSecondsOf = (pid: number): number =>
  processorSecondsIn(readFileSync(`/proc/${pid}/stat`, 'utf8')) +
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '')
    .reduce((sum, child) => sum + processorSecondsOf(Number(child)), 0)

/** What a server and its cores did during some work. */
export type Watched = {
  /** For how long the cores were busy, with anything, added up. */
  readonly busySeconds: number
  /** What the server and its children used of them. */
  readonly processorSeconds: number
}

/** Runs the work and watches a server meanwhile; tells nothing where the system does not. */
export async function watching<Result>(
  pid: number,
  cores: readonly number[],
  work: () => Promise<Result>,
): Promise<{ result: Result; watched: Watched | undefined }> {
  if (cores.length === 0) return { result: await work(), watched: undefined }
  const look = () => ({
    busySeconds: busySecondsIn(readFileSync('/proc/stat', 'utf8'), cores),
    processorSeconds: processorSecondsOf(pid),
  })
  const before = look()
  const result = await work()
  const after = look()
  return {
    result,
    watched: {
      busySeconds: after.busySeconds - before.busySeconds,
      processorSeconds: after.processorSeconds - before.processorSeconds,
    },
  }
}
