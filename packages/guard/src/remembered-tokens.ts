import type { VerificationKey } from './verification-key.ts'

/** A token that was verified, with the key that verified it. */
type Remembered = { readonly token: string; readonly key: VerificationKey }

const tailLength = 43

/**
 * Verified tokens, so that a token is verified once and not once for each request.
 *
 * A token is found by the last 43 characters of its signature, 256 bits that cost nothing to cut
 * out and little to hash, and then compared whole: another token with the same tail is a stranger.
 *
 * Bounded by two generations: when the young one is full it becomes the old one, and the old one is
 * let go. What is asked for again moves to the young one.
 */
export class RememberedTokens<Token extends Remembered> {
  readonly #generationSize: number
  #young = new Map<string, Token>()
  #old = new Map<string, Token>()

  /** @param capacity the most tokens that are remembered; 0 remembers none */
  constructor(capacity: number) {
    this.#generationSize = Math.ceil(capacity / 2)
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  find(token: string): Token | undefined {
    const tail = token.slice(-tailLength)
    const young = this.#young.get(tail)
    if (young !== undefined) return young.token === token ? young : undefined
    const old = this.#old.get(tail)
    if (old === undefined || old.token !== token) return undefined
    this.#old.delete(tail)
    this.remember(old)
    return old
  }

  remember(remembered: Token): void {
    if (this.#generationSize === 0) return
    if (this.#young.size >= this.#generationSize) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(remembered.token.slice(-tailLength), remembered)
  }

  forget({ token }: Token): void {
    const tail = token.slice(-tailLength)
    this.#young.delete(tail)
    this.#old.delete(tail)
  }

  /** Lets go of every token whose key has left its key set. */
  forgetUnpublished(): void {
    for (const generation of [this.#young, this.#old]) {
      for (const [tail, { key }] of generation) if (!key.isPublished) generation.delete(tail)
    }
  }
}
