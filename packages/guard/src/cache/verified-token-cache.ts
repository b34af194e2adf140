import type { VerificationKey } from '../keys/verification-key.ts'

/** A verified token: the value of its `Authorization` field, and the key that verified it. */
type CacheEntry = { readonly authorization: string; readonly key: VerificationKey }

/** Characters at the end of a signature that are hashed: 72 bits that no sender can choose. */
const hashedCharacters = 12

/**
 * Verified tokens, so that a repeated token is not verified again.
 *
 * A token is found by a hash of the end of its signature and then compared whole. Two tokens with one
 * hash replace each other. The whole field value is compared, because V8 compares a slice of a text
 * more slowly.
 *
 * There are two generations. When the young one is full, it replaces the old one. A token that is
 * found in the old generation moves to the young one.
 */
export class VerifiedTokenCache<Entry extends CacheEntry> {
  readonly #generationSize: number
  #young = new Map<number, Entry>()
  #old = new Map<number, Entry>()

  /** @param capacity maximum number of tokens; 0 turns the cache off */
  constructor(capacity: number) {
    this.#generationSize = Math.ceil(capacity / 2)
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  find(authorization: string): Entry | undefined {
    const hash = hashOfEnd(authorization)
    const young = this.#young.get(hash)
    if (young !== undefined) return young.authorization === authorization ? young : undefined
    const old = this.#old.get(hash)
    if (old === undefined || old.authorization !== authorization) return undefined
    this.#old.delete(hash)
    this.#insert(hash, old)
    return old
  }

  /** Caches a verified token, unless the capacity is 0. */
  add(entry: Entry): void {
    if (this.#generationSize > 0) this.#insert(hashOfEnd(entry.authorization), entry)
  }

  delete({ authorization }: Entry): void {
    const hash = hashOfEnd(authorization)
    this.#young.delete(hash)
    this.#old.delete(hash)
  }

  /** Deletes every token whose key left its key set. */
  deleteUnpublished(): void {
    for (const generation of [this.#young, this.#old]) {
      for (const [hash, { key }] of generation) if (!key.isPublished) generation.delete(hash)
    }
  }

  #insert(hash: number, entry: Entry): void {
    if (this.#young.size >= this.#generationSize) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(hash, entry)
  }
}

/** Hashes the end of a text (FNV-1a, 32 bits). */
function hashOfEnd(text: string): number {
  let hash = 0x811c9dc5
  for (let index = Math.max(0, text.length - hashedCharacters); index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash
}
