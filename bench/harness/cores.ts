import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Which cores serve and which one makes the load, by number. */
export type Cores = {
  readonly server: readonly number[]
  readonly load: readonly number[]
}

/** The numbers in a list as Linux writes it, such as `0-1,4`. */
export function coreNumbers(list: string): number[] {
  return list
    .trim()
    .split(',')
    .flatMap((part) => {
      const [first = 0, last = first] = part.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
}

/** The cores that this process may use, or none where the system does not tell (other than Linux). */
export function allowedCores(): number[] {
  if (process.platform !== 'linux') return []
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  return list === undefined ? [] : coreNumbers(list)
}

/**
 * Gives the first core (or the first two) to the server and another to the load. A server of two
 * cores on a machine of two shares the second with the load.
 */
export function shareOut(allowed: readonly number[], serverCores: 1 | 2): Cores {
  return {
    server: allowed.slice(0, serverCores),
    load: allowed.slice(Math.min(serverCores, allowed.length - 1)).slice(0, 1),
  }
}

/** A command line that keeps its process on the given cores; unchanged where none are given. */
export function pinned(cores: readonly number[], command: readonly string[]): string[] {
  return cores.length === 0 ? [...command] : ['taskset', '-c', cores.join(','), ...command]
}

/** Moves this process, with all its threads, to the given cores. */
export function pinSelf(cores: readonly number[]): void {
  if (cores.length === 0) return
  execFileSync('taskset', ['-a', '-c', '-p', cores.join(','), String(process.pid)])
}
