/** An index of objects by their keys. A key may have several objects. */
export class MultiIndex<One> {
  readonly #keysOf: (one: One) => readonly string[]
  readonly #groups = new Map<string, Set<One>>()

  constructor(keysOf: (one: One) => readonly string[]) {
    this.#keysOf = keysOf
  }

  /** Replaces one object by another. Either may be absent. */
  replace(before: One | undefined, after: One | undefined): void {
    if (before !== undefined) {
      for (const key of this.#keysOf(before)) {
        const group = this.#groups.get(key)
        group?.delete(before)
        if (group?.size === 0) this.#groups.delete(key)
      }
    }
    if (after !== undefined) {
      for (const key of this.#keysOf(after)) {
        const group = this.#groups.get(key)
        if (group === undefined) this.#groups.set(key, new Set([after]))
        else group.add(after)
      }
    }
  }

  /** The first object of a key; undefined when there is none. */
  first(key: string): One | undefined {
    return this.#groups.get(key)?.values().next().value
  }

  /** Every object of a key. */
  all(key: string): Iterable<One> {
    return this.#groups.get(key) ?? []
  }
}
