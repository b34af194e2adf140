import type { VerificationKey } from '../keys/verification-key.ts'

/** A token that was verified: the field value that it was sent in, and the key that verified it. */
type Verified = { readonly authorization: string; readonly key: VerificationKey }

/** How many characters at the end of a signature make its mark: 72 bits that nobody chooses. */
const tailLength = 12

/**
 * Verified tokens, so that a token that is used again and again is not verified each time.
 *
 * A token is found by its mark, a number made of the end of its signature, and then compared whole:
 * another token with the same mark is a stranger, and takes its place once it is verified. Whole is the
 * value of the `Authorization` field as it came, for a piece cut out of it takes longer to compare.
 *
 * Bounded by two generations: when the young one is full it becomes the old one, and the old one is
 * let go. What is asked for again moves to the young one.
 */
export class VerifiedTokenCache<Token extends Verified> {
  readonly #generationSize: number
  #young = new Map<number, Token>()
  #old = new Map<number, Token>()

  /** @param capacity the most tokens that are remembered; 0 remembers none */
  constructor(capacity: number) {
    this.#generationSize = Math.ceil(capacity / 2)
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  find(authorization: string): Token | undefined {
    const mark = markOf(authorization)
    const young = this.#young.get(mark)
    if (young !== undefined) return young.authorization === authorization ? young : undefined
    const old = this.#old.get(mark)
    if (old === undefined || old.authorization !== authorization) return undefined
    this.#old.delete(mark)
    this.#keep(mark, old)
    return old
  }

  /** Keeps a verified token, unless the capacity is 0. */
  remember(verified: Token): void {
    if (this.#generationSize > 0) this.#keep(markOf(verified.authorization), verified)
  }

  forget({ authorization }: Token): void {
    const mark = markOf(authorization)
    this.#young.delete(mark)
    this.#old.delete(mark)
  }

  /** Lets go of every token whose key has left its key set. */
  forgetUnpublished(): void {
    for (const generation of [this.#young, this.#old]) {
      for (const [mark, { key }] of generation) if (!key.isPublished) generation.delete(mark)
    }
  }

  #keep(mark: number, verified: Token): void {
    if (this.#young.size >= this.#generationSize) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(mark, verified)
  }
}

/** A number that stands for the end of a text (FNV-1a, 32 bits). */
function markOf(text: string): number {
  let mark = 0x811c9dc5
  for (let index = Math.max(0, text.length - tailLength); index < text.length; index += 1) {
    mark = Math.imul(mark ^ text.charCodeAt(index), 0x01000193)
  }
  return mark
}
