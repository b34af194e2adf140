import { beginning, type Commit } from '../../src/directory-store/commit.ts'
import type { KeyEvent } from '../../src/signing/key-event.ts'
import type { KeyRing } from '../../src/signing/key-ring.ts'
import type { KeyRingStore } from '../../src/signing/key-ring-store.ts'
import { hasCommit } from '../../src/storage/sql/directory/revision-counter.ts'

/** A key ring in memory, for tests. It is lost when the process ends. */
export class MemoryKeyRingStore implements KeyRingStore {
  readonly events: KeyEvent[] = []
  readonly #commits: Commit[] = [beginning]
  #ring: KeyRing = []

  async read(known: Commit = beginning) {
    const latest = this.#commits.at(-1) ?? beginning
    const markThere = this.#commits[known.revision]?.mark ?? null
    return { latest, hasKnown: hasCommit(latest.revision, markThere, known), ring: this.#ring }
  }

  async commit(base: Commit, mark: string, ring: KeyRing, events: readonly KeyEvent[]) {
    const latest = this.#commits.at(-1) ?? beginning
    if (base.revision !== latest.revision || base.mark !== latest.mark) return 'conflict'
    this.#commits.push({ revision: base.revision + 1, mark })
    this.#ring = structuredClone(ring)
    this.events.push(...events)
    return 'committed'
  }
}
