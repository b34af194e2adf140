import { Doorkeeper } from './doorkeeper.ts'
import type { VerificationKey } from './verification-key.ts'

/** A token that was verified: the field value that it was sent in, and the key that verified it. */
type Verified = { readonly authorization: string; readonly key: VerificationKey }

// Engines copy so short a piece; a longer one would hold on to the whole text.
const tailLength = 12

/**
 * Verified tokens, so that a token that is used again and again is not verified each time.
 *
 * A token is found by the end of its signature, 72 bits that cost little to cut out and to hash,
 * and then compared whole: another token with the same tail is a stranger. Whole is the value of the
 * `Authorization` field as it came, for a piece cut out of it takes longer to compare.
 *
 * It gets its place when it is verified for the second time: one that comes once is worth none.
 *
 * Bounded by two generations: when the young one is full it becomes the old one, and the old one is
 * let go. What is asked for again moves to the young one.
 */
export class RememberedTokens<Token extends Verified> {
  readonly #generationSize: number
  readonly #doorkeeper: Doorkeeper
  #young = new Map<string, Token>()
  #old = new Map<string, Token>()

  /** @param capacity the most tokens that are remembered; 0 remembers none */
  constructor(capacity: number) {
    this.#generationSize = Math.ceil(capacity / 2)
    this.#doorkeeper = new Doorkeeper(capacity)
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  find(authorization: string): Token | undefined {
    const tail = tailOf(authorization)
    const young = this.#young.get(tail)
    if (young !== undefined) return young.authorization === authorization ? young : undefined
    const old = this.#old.get(tail)
    if (old === undefined || old.authorization !== authorization) return undefined
    this.#old.delete(tail)
    this.#keep(tail, old)
    return old
  }

  /** Keeps a verified token, unless this is the first that is heard of it. */
  remember(verified: Token): void {
    if (this.#generationSize === 0) return
    const tail = tailOf(verified.authorization)
    if (this.#doorkeeper.hasSeen(tail)) this.#keep(tail, verified)
  }

  forget({ authorization }: Token): void {
    const tail = tailOf(authorization)
    this.#young.delete(tail)
    this.#old.delete(tail)
  }

  /** Lets go of every token whose key has left its key set. */
  forgetUnpublished(): void {
    for (const generation of [this.#young, this.#old]) {
      for (const [tail, { key }] of generation) if (!key.isPublished) generation.delete(tail)
    }
  }

  #keep(tail: string, verified: Token): void {
    if (this.#young.size >= this.#generationSize) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(tail, verified)
  }
}

const tailOf = (authorization: string): string => authorization.slice(-tailLength)
