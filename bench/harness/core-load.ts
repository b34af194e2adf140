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

/** What a server and its cores do while they are watched. It finds nothing where the system tells nothing. */
export class CoreLoad {
  readonly #pid: number
  readonly #cores: readonly number[]
  #sum = nothing
  #since = nothing

  constructor(pid: number, cores: readonly number[]) {
    this.#pid = pid
    this.#cores = cores
  }

  watch(): void {
    this.#since = this.#look()
  }

  lookAway(): void {
    const { seconds, busy, processor } = this.#look()
    this.#sum = {
      seconds: this.#sum.seconds + seconds - this.#since.seconds,
      busy: this.#sum.busy + busy - this.#since.busy,
      processor: this.#sum.processor + processor - this.#since.processor,
    }
  }

  /** How busy the cores were, with anything, from 0 to 1. */
  get busy(): number | null {
    if (this.#cores.length === 0) return null
    return Math.min(1, this.#sum.busy / (this.#sum.seconds * this.#cores.length))
  }

  /** What the server and its children used of them. */
  get processorSeconds(): number | null {
    return this.#cores.length === 0 ? null : this.#sum.processor
  }

  #look(): typeof nothing {
    if (this.#cores.length === 0) return nothing
    return {
      seconds: performance.now() / 1000,
      busy: busySecondsIn(readFileSync('/proc/stat', 'utf8'), this.#cores),
      processor: processorSecondsOf(this.#pid),
    }
  }
}

const nothing = { seconds: 0, busy: 0, processor: 0 }
