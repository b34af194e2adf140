/**
 * Tells whatever comes once from what comes again, at a few bytes for each.
 *
 * Bounded: when it has seen as many as it may, it forgets them all. What it forgot, or took for
 * something else, is kept out or let through once too often, which costs time and nothing more.
 *
 * @see Einziger, Friedman and Manes, TinyLFU (2017), section 3.4.2, from where the name is
 */
export class Doorkeeper {
  readonly #most: number
  readonly #marks = new Set<number>()

  /** @param most how many it tells apart at a time */
  constructor(most: number) {
    this.#most = most
  }

  /** True from the second time on that it is asked for this text. */
  hasSeen(text: string): boolean {
    const mark = markOf(text)
    if (this.#marks.has(mark)) return true
    if (this.#marks.size >= this.#most) this.#marks.clear()
    this.#marks.add(mark)
    return false
  }
}

/** A number in place of the text, which a set would hold on to (FNV-1a, 32 bits). */
function markOf(text: string): number {
  let mark = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    mark = Math.imul(mark ^ text.charCodeAt(index), 0x01000193)
  }
  return mark
}
