import type { KeyEvent } from './key-event.ts'
import type { KeyRing } from './key-ring.ts'

/**
 * A commit of the ring: its number, and its random mark. Numbers repeat when the store goes back;
 * marks do not.
 */
export type RingCommit = {
  /** Counted from 1; 0 is the state before the first commit. */
  readonly revision: number
  /** Null for the state before the first commit, and for commits of releases without marks. */
  readonly mark: string | null
}

/** Where the key ring is kept: the same for every replica, which meet only in `commit`. */
export interface KeyRingStore {
  /**
   * The ring as it was last committed.
   *
   * @param known The commit that the caller knows. Default: the state before the first commit.
   */
  read(known?: RingCommit): Promise<{
    readonly latest: RingCommit
    /** False when the store does not have the commit that the caller knows: the store went back. */
    readonly hasKnown: boolean
    readonly ring: KeyRing
  }>

  /**
   * Writes a ring and the audit of what happened in one transaction, durably, as the commit that
   * follows `base`, with this mark.
   *
   * @returns `'conflict'`, with nothing written, when another commit already followed `base`, or the
   *   store does not have `base`: at most one commit follows each commit.
   */
  commit(
    base: RingCommit,
    mark: string,
    ring: KeyRing,
    events: readonly KeyEvent[],
  ): Promise<'committed' | 'conflict'>
}

/** The state before the first commit. */
export const firstRing: RingCommit = { revision: 0, mark: null }
