/** Repeatable choices: the same seed gives the same sequence. */
export class RandomChoices {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A number of at least 0 and below 1: the generator mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  isLikely(probability: number): boolean {
    return this.next() < probability
  }

  /** @throws {RangeError} for an empty list */
  oneOf<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new RangeError('there is nothing to choose from')
    return item
  }

  someOf<Item>(items: readonly Item[]): Item[] {
    return items.filter(() => this.isLikely(0.5))
  }
}
