const maxSources = 1000
const otherSources = 'other sources'

/** Counts refusals by source, in place of one record for each. */
export class RefusalTally {
  #counts = new Map<string, number>()

  count(source: string): void {
    const key = this.#counts.has(source) || this.#counts.size < maxSources ? source : otherSources
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** Returns the counts since the last call, and resets them. */
  take(): ReadonlyMap<string, number> {
    const counts = this.#counts
    this.#counts = new Map()
    return counts
  }
}
