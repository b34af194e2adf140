type Entry<Value> = {
  readonly key: string
  value: Value
  older: Entry<Value> | undefined
  newer: Entry<Value> | undefined
}

/**
 * A map with a limit on the weight of its entries. `trim` removes the least recently used entries.
 *
 * The order of use is a separate list. In the order of a `Map`, each use would delete and insert its
 * key. V8 searches all deleted copies of a key until it rebuilds the map, so a key in frequent use
 * would cost more with each use, and with each entry of the map.
 */
export class LeastRecentlyUsed<Value> {
  readonly #maxWeight: number
  readonly #weightOf: (value: Value) => number
  readonly #entries = new Map<string, Entry<Value>>()
  #oldest: Entry<Value> | undefined
  #newest: Entry<Value> | undefined
  #weight = 0

  /** @param weightOf default 1 for each entry */
  constructor(maxWeight: number, weightOf: (value: Value) => number = () => 1) {
    this.#maxWeight = maxWeight
    this.#weightOf = weightOf
  }

  get weight(): number {
    return this.#weight
  }

  /** The value of a key, which becomes the most recently used. */
  use(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry !== this.#newest) {
      this.#unlink(entry)
      this.#append(entry)
    }
    return entry.value
  }

  /** The value of a key, without a use. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  /** Sets the value of a key, which becomes the most recently used. */
  set(key: string, value: Value): void {
    const known = this.#entries.get(key)
    const entry = known ?? { key, value, older: undefined, newer: undefined }
    if (known === undefined) this.#entries.set(key, entry)
    else {
      this.#unlink(known)
      this.#weight -= this.#weightOf(known.value)
      known.value = value
    }
    this.#append(entry)
    this.#weight += this.#weightOf(value)
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#unlink(entry)
    this.#weight -= this.#weightOf(entry.value)
  }

  clear(): void {
    this.#entries.clear()
    this.#oldest = undefined
    this.#newest = undefined
    this.#weight = 0
  }

  /** Removes entries until the weight is within the limit. */
  trim(): void {
    while (this.#weight > this.#maxWeight && this.#oldest !== undefined)
      this.delete(this.#oldest.key)
  }

  #append(entry: Entry<Value>): void {
    entry.older = this.#newest
    entry.newer = undefined
    if (this.#newest === undefined) this.#oldest = entry
    else this.#newest.newer = entry
    this.#newest = entry
  }

  #unlink({ older, newer }: Entry<Value>): void {
    if (older === undefined) this.#oldest = newer
    else older.newer = newer
    if (newer === undefined) this.#newest = older
    else newer.older = older
  }
}
