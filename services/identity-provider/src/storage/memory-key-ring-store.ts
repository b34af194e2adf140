import type { KeyEvent } from '../signing/key-event.ts'
import type { KeyRing } from '../signing/key-ring.ts'
import type { KeyRingStore } from '../signing/key-ring-store.ts'

/** A key ring that is forgotten with its process: for tests, and for a server without a trace. */
export class MemoryKeyRingStore implements KeyRingStore {
  readonly events: KeyEvent[] = []
  #revision = 0
  #ring: KeyRing = []

  async read() {
    return { revision: this.#revision, ring: this.#ring }
  }

  async commit(baseRevision: number, ring: KeyRing, events: readonly KeyEvent[]) {
    if (baseRevision !== this.#revision) return 'conflict'
    this.#revision += 1
    this.#ring = structuredClone(ring)
    this.events.push(...events)
    return 'committed'
  }
}
