import type { KeyEvent } from './key-event.ts'
import type { KeyRing } from './key-ring.ts'

/** Where the key ring is kept: the same for every replica, which meet only in `commit`. */
export interface KeyRingStore {
  /** The ring as it was last committed, with its revision: 0 before the first commit. */
  read(): Promise<{ readonly revision: number; readonly ring: KeyRing }>

  /**
   * Writes a ring and the audit of what happened in one transaction, durably, as revision
   * `baseRevision + 1`.
   *
   * @returns `'conflict'`, with nothing written, when another commit already followed
   *   `baseRevision`: at most one commit follows each revision.
   */
  commit(
    baseRevision: number,
    ring: KeyRing,
    events: readonly KeyEvent[],
  ): Promise<'committed' | 'conflict'>
}
