// Folder: Keeps verified tokens until their end.

import type { VerificationKey } from '../keys/verification-key.ts'

/** A verified token: the value of its `Authorization` field, and the key that verified it. */
type CacheEntry = { readonly authorization: string; readonly key: VerificationKey }

/** Characters at the end of a signature that are hashed: 72 bits that no sender can choose. */
const hashedCharacters = 12

/** Slots that are compared to choose the token that a new one replaces. */
const comparedSlots = 2

/**
 * Caches verified tokens, so that a repeated token is not verified again.
 *
 * A token is found by a hash of the end of its signature and then compared whole. Two tokens with one hash replace
 * each other. The whole field value is compared, because V8 compares a slice of a text more slowly.
 *
 * When the cache is full, a new token replaces the less recently used one of two random neighbours.
 * So the share of tokens that are found falls slowly if there are more callers than slots. A strict
 * order would find none of them if they take turns.
 */
export class VerifiedTokenCache<Entry extends CacheEntry> {
  readonly #capacity: number
  readonly #random: () => number
  readonly #slotOfHash = new Map<number, number>()
  /** Without gaps: the last entry fills the slot of a deleted one. */
  readonly #entries: Entry[] = []
  /** For each slot, the number of the use that was its last. */
  readonly #lastUses: Float64Array
  #uses = 0

  /**
   * @param capacity maximum number of tokens; 0 turns the cache off
   * @param random returns a number from 0 to below 1; default `Math.random`
   */
  constructor(capacity: number, random: () => number = Math.random) {
    this.#capacity = capacity
    this.#random = random
    this.#lastUses = new Float64Array(capacity)
  }

  get size(): number {
    return this.#entries.length
  }

  find(authorization: string): Entry | undefined {
    const slot = this.#slotOfHash.get(hashOfEnd(authorization))
    if (slot === undefined) return undefined
    const entry = this.#entries[slot]
    if (entry?.authorization !== authorization) return undefined
    this.#use(slot)
    return entry
  }

  /** Caches a verified token, unless the capacity is 0. */
  add(entry: Entry): void {
    if (this.#capacity === 0) return
    const hash = hashOfEnd(entry.authorization)
    const slot = this.#slotOfHash.get(hash) ?? this.#takeSlot()
    this.#slotOfHash.set(hash, slot)
    this.#entries[slot] = entry
    this.#use(slot)
  }

  delete({ authorization }: Entry): void {
    const slot = this.#slotOfHash.get(hashOfEnd(authorization))
    if (slot !== undefined && this.#entries[slot]?.authorization === authorization) {
      this.#deleteSlot(slot)
    }
  }

  /** Deletes every token whose key left its key set. */
  deleteUnpublished(): void {
    // From the end, because the last entry fills each gap.
    for (let slot = this.#entries.length - 1; slot >= 0; slot -= 1) {
      if (!this.#entries[slot]?.key.isPublished) this.#deleteSlot(slot)
    }
  }

  #use(slot: number): void {
    this.#uses += 1
    this.#lastUses[slot] = this.#uses
  }

  /** A free slot: a new one, or the slot of the replaced token. */
  #takeSlot(): number {
    if (this.#entries.length < this.#capacity) return this.#entries.length
    const first = Math.floor(this.#random() * this.#capacity)
    let chosen = first
    for (let step = 1; step < comparedSlots; step += 1) {
      const slot = (first + step) % this.#capacity
      if (this.#lastUseOf(slot) < this.#lastUseOf(chosen)) chosen = slot
    }
    this.#slotOfHash.delete(this.#hashIn(chosen))
    return chosen
  }

  #deleteSlot(slot: number): void {
    const last = this.#entries.length - 1
    this.#slotOfHash.delete(this.#hashIn(slot))
    const moved = this.#entries[last]
    if (slot !== last && moved !== undefined) {
      this.#slotOfHash.set(this.#hashIn(last), slot)
      this.#entries[slot] = moved
      this.#lastUses[slot] = this.#lastUseOf(last)
    }
    this.#entries.length = last
  }

  #lastUseOf(slot: number): number {
    return this.#lastUses[slot] ?? 0
  }

  #hashIn(slot: number): number {
    return hashOfEnd(this.#entries[slot]?.authorization ?? '')
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
