/** A map with a limit on the weight of its entries. `trim` removes the least recently used entries. */
export class LeastRecentlyUsed<Value> {
  readonly #maxWeight: number
  readonly #weightOf: (value: Value) => number
  /** In the order of use: a map keeps the order of insertion. */
  readonly #entries = new Map<string, Value>()
  #weight = 0

  constructor(maxWeight: number, weightOf: (value: Value) => number) {
    this.#maxWeight = maxWeight
    this.#weightOf = weightOf
  }

  get weight(): number {
    return this.#weight
  }

  /** The value of a key, which becomes the most recently used. */
  use(key: string): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  /** The value of a key, without a use. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: Value): void {
    this.delete(key)
    this.#entries.set(key, value)
    this.#weight += this.#weightOf(value)
  }

  delete(key: string): void {
    const value = this.#entries.get(key)
    if (value === undefined) return
    this.#entries.delete(key)
    this.#weight -= this.#weightOf(value)
  }

  clear(): void {
    this.#entries.clear()
    this.#weight = 0
  }

  /** Removes entries until the weight is within the limit. */
  trim(): void {
    for (const key of this.#entries.keys()) {
      if (this.#weight <= this.#maxWeight) return
      this.delete(key)
    }
  }
}
