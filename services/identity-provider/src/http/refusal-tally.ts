const mostSources = 1000
const otherSources = 'other sources'

/** Counts refusals that are not recorded one by one, for each source. */
export class RefusalTally {
  #counts = new Map<string, number>()

  count(source: string): void {
    const key = this.#counts.has(source) || this.#counts.size < mostSources ? source : otherSources
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** Returns the counts since the last call, and starts anew. */
  take(): ReadonlyMap<string, number> {
    const counts = this.#counts
    this.#counts = new Map()
    return counts
  }
}
