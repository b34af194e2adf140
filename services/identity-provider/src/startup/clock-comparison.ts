import type { Log } from '../http/service-options.ts'

/** Tokens are valid 300 s before they are issued, and APIs tolerate 60 s. This is far less. */
const maxOffsetSeconds = 30

export type ClockComparisonOptions = {
  /** The time of the store in epoch milliseconds; undefined when the store has no clock of its own. */
  readonly readStoreMs: () => Promise<number | undefined>
  readonly now: () => Date
  readonly log: Pick<Log, 'warn' | 'info'>
}

/** Compares the clock of this server with that of the database, which all servers share. */
export class ClockComparison {
  readonly #options: ClockComparisonOptions
  #offsetSeconds: number | undefined
  #isReported = false

  constructor(options: ClockComparisonOptions) {
    this.#options = options
  }

  /** How far this clock is ahead, in seconds; undefined before the first comparison, and for SQLite. */
  get offsetSeconds(): number | undefined {
    return this.#offsetSeconds
  }

  /** Reads both clocks. Logs when the difference exceeds 30 s, and when it does not any more. */
  async compare(): Promise<void> {
    const { readStoreMs, now, log } = this.#options
    const beforeMs = now().getTime()
    const storeMs = await readStoreMs()
    if (storeMs === undefined) return
    // The store read its clock between the two moments.
    const offsetSeconds = ((beforeMs + now().getTime()) / 2 - storeMs) / 1000
    this.#offsetSeconds = offsetSeconds
    const isWrong = Math.abs(offsetSeconds) > maxOffsetSeconds
    if (isWrong === this.#isReported) return
    this.#isReported = isWrong
    const rounded = Math.round(offsetSeconds)
    if (!isWrong) log.info({ offsetSeconds: rounded }, 'the clock agrees with the database again')
    else
      log.warn(
        { offsetSeconds: rounded },
        `the clock of this server is ${Math.abs(rounded)} s ${rounded > 0 ? 'ahead of' : 'behind'} the clock of the database: correct the wrong one`,
      )
  }
}
