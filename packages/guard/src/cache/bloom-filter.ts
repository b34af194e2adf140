/** With two of them set for each mark, a filter that is full takes 1.4 % of strangers for known. */
const bitsForEach = 16

/** Spreads numbers that lie close together (Knuth's multiplicative hash). */
const golden = 0x9e3779b1

/**
 * Tells whatever comes once from what comes again, in two bytes for each: a Bloom filter.
 *
 * Bounded: when it has seen as many as it may, it forgets them all. What it forgot, or took for
 * something else, is kept out or let through once too often, which costs time and nothing more.
 *
 * @see Einziger, Friedman and Manes, TinyLFU (2017), section 3.4.2, from where the name is
 */
export class BloomFilter {
  readonly #most: number
  readonly #bits: Uint8Array
  #seen = 0

  /** @param most how many it tells apart at a time; with 0 it has seen nobody, ever */
  constructor(most: number) {
    this.#most = most
    this.#bits = new Uint8Array((most * bitsForEach) / 8)
  }

  /**
   * True from the second time on that it is asked for this mark; now and then from the first.
   *
   * @param mark 32 bits, spread as a hash spreads them
   */
  hasSeen(mark: number): boolean {
    const other = Math.imul(mark ^ (mark >>> 15), golden)
    if (this.#isSet(mark) && this.#isSet(other)) return true
    if (this.#seen === this.#most) this.#forget()
    this.#seen += 1
    this.#set(mark)
    this.#set(other)
    return false
  }

  #isSet(mark: number): boolean {
    const bit = this.#bitOf(mark)
    return ((this.#bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0
  }

  #set(mark: number): void {
    const bit = this.#bitOf(mark)
    this.#bits[bit >>> 3] = (this.#bits[bit >>> 3] ?? 0) | (1 << (bit & 7))
  }

  #bitOf(mark: number): number {
    return (mark >>> 0) % (this.#bits.length * 8)
  }

  #forget(): void {
    this.#bits.fill(0)
    this.#seen = 0
  }
}
