import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The cores of the server and the core of the load generator, by number. */
export type Cores = { readonly server: readonly number[]; readonly load: readonly number[] }

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
